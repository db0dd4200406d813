import { hierarchy, partition } from "d3-hierarchy";
import type { Dump } from "./dump";
import type { Box } from "./icicle";

/** A goroutine with those that it created; the root is none and has the position -1. */
export interface Created {
  goroutine: number;
  children: Created[];
}

/** Boxes for these goroutines and all below them, as wide as how many they are. */
export function creatorBoxes(dump: Dump, wanted: Uint8Array, roots: number[]): Box<Created> {
  const root: Created = { goroutine: -1, children: [] };
  const seen = new Uint8Array(wanted.length);
  const open = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const goroutine of at === root ? roots : dump.createdBy(at.goroutine)) {
      // One that stands above itself, as ids used twice make it, isn't drawn again.
      if (seen[goroutine] || !wanted[goroutine]) continue;
      seen[goroutine] = 1;
      const child = { goroutine, children: [] };
      at.children.push(child);
      open.push(child);
    }
  }
  const tree = hierarchy(root, (one) => one.children);
  tree.eachAfter((node) => Object.assign(node, { value: 1 + (node.children ?? []).reduce((sum, child) => sum + (child.value ?? 0), 0) }));
  tree.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return partition<Created>()(tree);
}
