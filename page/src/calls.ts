import type { Dump } from "./dump";
import type { Selection } from "./filter";

/** A function and what it calls, in one place of the stacks. */
export interface Call {
  /** The position of its name in the strings; -1 of the root. */
  func: number;
  /** How much is in it and in what it calls. */
  total: number;
  /** The same at the first point in time and at the last; 0 where nothing is compared. */
  before: number;
  after: number;
  children: Call[];
}

/** What a box of a tree of calls is as wide as. */
export type Width = "all" | "before" | "after";

/** The selected stacks put together from their roots; a loop, since stacks can be deep. */
export function callTree(dump: Dump, selection: Selection, width: Width): Call {
  const call = (func: number): Call => ({ func, total: 0, before: 0, after: 0, children: [] });
  const root = call(-1);
  const known = new Map<Call, Map<number, Call>>();
  const { func } = dump.document.frames;
  for (let stack = 0; stack < dump.stackCount; stack++) {
    const all = selection.ofStack[stack];
    const points = dump.points.length > 1 ? dump.atPoints(selection.ofGroup, dump.groupsOf(stack)) : [0];
    const [before, after] = [points[0], points[points.length - 1]];
    const total = { all, before, after }[width];
    if (all <= 0) continue;
    const add = (to: Call) => {
      to.total += total;
      to.before += before;
      to.after += after;
    };
    add(root);
    let at = root;
    const frames = dump.frames(stack);
    for (let frame = frames.length - 1; frame >= 0; frame--) {
      let below = known.get(at);
      if (below === undefined) known.set(at, (below = new Map()));
      let next = below.get(func[frames[frame]]);
      if (next === undefined) {
        next = call(func[frames[frame]]);
        below.set(next.func, next);
        at.children.push(next);
      }
      add(next);
      at = next;
    }
  }
  return root;
}
