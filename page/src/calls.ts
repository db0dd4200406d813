import type { Dump } from "./dump";
import type { Selection } from "./filter";

/** A function and what it calls, in one place of the stacks. */
export interface Call {
  /** The position of its name in the strings; -1 of the root. */
  func: number;
  /** Goroutines in it and in what it calls. */
  total: number;
  children: Call[];
}

/** The selected stacks put together from their roots; a loop, since stacks can be deep. */
export function callTree(dump: Dump, selection: Selection): Call {
  const root: Call = { func: -1, total: 0, children: [] };
  const known = new Map<Call, Map<number, Call>>();
  const { func } = dump.document.frames;
  for (let stack = 0; stack < dump.stackCount; stack++) {
    const count = selection.ofStack[stack];
    if (count <= 0) continue;
    root.total += count;
    let call = root;
    const frames = dump.frames(stack);
    for (let at = frames.length - 1; at >= 0; at--) {
      let below = known.get(call);
      if (below === undefined) known.set(call, (below = new Map()));
      let next = below.get(func[frames[at]]);
      if (next === undefined) {
        next = { func: func[frames[at]], total: 0, children: [] };
        below.set(next.func, next);
        call.children.push(next);
      }
      next.total += count;
      call = next;
    }
  }
  return root;
}
