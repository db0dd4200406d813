import { hierarchy, tree, type HierarchyPointNode } from "d3-hierarchy";
import type { Holder, Pile } from "./document";

/** A pile with those behind it: each waits for what one who waits here may hold. */
export interface Behind {
  pile: Pile;
  children: Behind[];
  /** Whether it is in a circle, of which this drawing cut one link. */
  isCircle: boolean;
}

/** Who most likely holds what a pile waits for. */
export function holderOf(pile: Pile): Holder | undefined {
  return pile.holders[0];
}

/** The piles as trees: at each root what the others wait for in the end. Those that nobody wants and nobody wanted leads to are left out. */
export function chains(piles: Pile[], isWanted: (pile: Pile) => boolean): Behind[] {
  const byNumber = new Map(piles.map((pile) => [pile.pile, pile]));
  const next = (pile: Pile) => {
    const number = holderOf(pile)?.waits_in;
    return number === null || number === undefined ? undefined : byNumber.get(number);
  };
  const wanted = new Set<Pile>();
  for (const pile of piles.filter(isWanted)) {
    for (let at: Pile | undefined = pile; at !== undefined && !wanted.has(at); at = next(at)) wanted.add(at);
  }
  const behind = new Map<Pile, Pile[]>();
  for (const pile of wanted) {
    const ahead = next(pile);
    if (ahead !== undefined) behind.set(ahead, [...(behind.get(ahead) ?? []), pile]);
  }
  const drawn = new Set<Pile>();
  const from = (root: Pile, isCircle: boolean): Behind => {
    const top: Behind = { pile: root, children: [], isCircle };
    drawn.add(root);
    const open = [top];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const pile of behind.get(at.pile) ?? []) {
        if (drawn.has(pile)) continue;
        drawn.add(pile);
        const child = { pile, children: [], isCircle };
        at.children.push(child);
        open.push(child);
      }
    }
    return top;
  };
  const all = [...wanted];
  const roots = all.filter((pile) => next(pile) === undefined).map((pile) => from(pile, false));
  // What is left leads into circles: each is entered at the pile that a way through it comes to twice.
  for (const pile of all) {
    if (drawn.has(pile)) continue;
    const passed = new Set<Pile>();
    let at: Pile | undefined = pile;
    while (at !== undefined && !passed.has(at)) {
      passed.add(at);
      at = next(at);
    }
    if (at !== undefined) roots.push(from(at, true));
  }
  return roots.sort((a, b) => weight(b) - weight(a));
}

function weight(chain: Behind): number {
  let sum = 0;
  const open = [chain];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    sum += at.pile.total;
    open.push(...at.children);
  }
  return sum;
}

/** Places for the boxes of a chain, the root at the left; the smallest place up and down is 0. */
export function layOut(chain: Behind, across: number, down: number) {
  const root: HierarchyPointNode<Behind> = tree<Behind>().nodeSize([down, across])(hierarchy(chain, (one) => one.children));
  const nodes = root.descendants();
  const top = Math.min(...nodes.map((node) => node.x));
  const boxes = nodes.map((node) => ({ behind: node.data, x: node.y, y: node.x - top, depth: node.depth }));
  const links = root.links().map(({ source, target }) => ({
    from: { x: target.y, y: target.x - top },
    to: { x: source.y, y: source.x - top },
  }));
  return {
    boxes,
    links,
    width: Math.max(...boxes.map(({ x }) => x)) + across,
    height: Math.max(...boxes.map(({ y }) => y)) + down,
  };
}
