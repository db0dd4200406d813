import type { Dump } from "./dump";
import type { Selection } from "./filter";

/** How much is in a function, by itself and with what it calls, each stack once. */
export interface FunctionTotal {
  /** The position of its name in the strings. */
  func: number;
  flat: number;
  cum: number;
}

/** A caller or callee, and how much goes that way. */
export interface Neighbour {
  func: number;
  count: number;
}

/** The functions of what is selected, those with the most of their own first. */
export function functionTotals(dump: Dump, selection: Selection): FunctionTotal[] {
  const totals = new Map<number, FunctionTotal>();
  const { func } = dump.document.frames;
  for (const { count, frames } of selected(dump, selection)) {
    const names = new Set(frames.map((frame) => func[frame]));
    for (const name of names) {
      let total = totals.get(name);
      if (total === undefined) totals.set(name, (total = { func: name, flat: 0, cum: 0 }));
      total.cum += count;
      if (frames.length > 0 && func[frames[0]] === name) total.flat += count;
    }
  }
  return [...totals.values()].sort((a, b) => Math.abs(b.flat) - Math.abs(a.flat) || Math.abs(b.cum) - Math.abs(a.cum));
}

/** The selected stacks: how much is in each, and its frames. */
function* selected(dump: Dump, selection: Selection) {
  for (let stack = 0; stack < dump.stackCount; stack++) {
    const count = selection.nowOfStack[stack];
    if (count !== 0) yield { count, frames: dump.frames(stack) };
  }
}

/** Who calls a function and whom it calls, most first; a way that a stack goes twice counts once. */
export function neighbours(dump: Dump, selection: Selection, name: number): { callers: Neighbour[]; callees: Neighbour[] } {
  const callers = new Map<number, number>();
  const callees = new Map<number, number>();
  const { func } = dump.document.frames;
  for (const { count, frames } of selected(dump, selection)) {
    const [above, below] = [new Set<number>(), new Set<number>()];
    frames.forEach((frame, at) => {
      if (func[frame] !== name) return;
      if (at + 1 < frames.length) above.add(func[frames[at + 1]]);
      if (at > 0) below.add(func[frames[at - 1]]);
    });
    for (const one of above) callers.set(one, (callers.get(one) ?? 0) + count);
    for (const one of below) callees.set(one, (callees.get(one) ?? 0) + count);
  }
  const sorted = (counts: Map<number, number>) =>
    [...counts].map(([func, count]) => ({ func, count })).sort((a, b) => Math.abs(b.count) - Math.abs(a.count));
  return { callers: sorted(callers), callees: sorted(callees) };
}
