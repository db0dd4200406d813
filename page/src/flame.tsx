import { hierarchy, partition, type HierarchyRectangularNode } from "d3-hierarchy";
import { scaleLinear } from "d3-scale";
import { useMemo, useState } from "preact/hooks";
import { callTree, type Call } from "./calls";
import { lower } from "./filter";
import { usePage } from "./page";
import { thousands } from "./text";

type Box = HierarchyRectangularNode<Call>;

const ROW = 20;
/** Narrower boxes aren't drawn: nobody can see or point at them. Percent of the width. */
const NARROWEST = 0.1;
const COLOURS = 8;

/** All selected stacks in one picture: width is how many goroutines are in a function. */
export function Flame() {
  const { dump, selection } = usePage();
  const [zoomed, setZoomed] = useState<number[]>([]);
  const [search, setSearch] = useState("");
  const [upwards, setUpwards] = useState(false);
  const root = useMemo(() => {
    const tree = hierarchy(callTree(dump, selection), (call) => call.children);
    tree.each((node) => Object.assign(node, { value: node.data.total }));
    tree.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    return partition<Call>()(tree);
  }, [dump, selection]);
  const focus = follow(root, zoomed);
  const across = scaleLinear().domain([focus.x0, focus.x1]).range([0, 100]);
  const needle = lower(search);
  const name = (box: Box) => (box.depth === 0 ? "all" : dump.strings[box.data.func]);
  const matches = (box: Box) => needle !== "" && box.depth > 0 && lower(name(box)).includes(needle);
  const boxes = [...focus.ancestors().slice(1), ...visible(focus, (box) => across(box.x1) - across(box.x0) >= NARROWEST)];
  const deepest = boxes.reduce((depth, box) => Math.max(depth, box.depth), 0);
  const found = needle === "" ? 0 : outermost(root, matches).reduce((sum, box) => sum + box.data.total, 0);
  const share = (count: number) => `${((100 * count) / root.data.total).toFixed(1)}%`;
  if (root.data.total === 0) return <p class="empty">No goroutine matches.</p>;
  return (
    <section class="sheet" aria-label="Flame graph">
      <div class="choices">
        <input
          type="search"
          aria-label="Search functions in the flame graph"
          placeholder="mark functions"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {needle !== "" && (
          <span data-testid="flame-found">
            {thousands(found)} ({share(found)})
          </span>
        )}
        <button onClick={() => setUpwards(!upwards)}>{upwards ? "Callers on top" : "Callers below"}</button>
        {zoomed.length > 0 && <button onClick={() => setZoomed([])}>Whole graph</button>}
      </div>
      <div class="flame" style={{ height: (deepest + 1) * ROW }}>
        {boxes.map((box) => {
          const left = Math.max(0, across(box.x0));
          const width = Math.min(100, across(box.x1)) - left;
          const y = (upwards ? deepest - box.depth : box.depth) * ROW;
          return (
            <button
              key={path(box).join(",")}
              class={`box c${colour(name(box))} ${matches(box) ? "found" : ""} ${box.depth < focus.depth ? "above" : ""}`}
              style={{ left: `${left}%`, width: `${width}%`, top: y }}
              onClick={() => setZoomed(path(box))}
              title={`${name(box)}: ${thousands(box.data.total)} (${share(box.data.total)})`}
            >
              {width > 2 ? name(box).slice(name(box).lastIndexOf("/") + 1) : ""}
            </button>
          );
        })}
      </div>
    </section>
  );
}

/** The box at the end of a path of functions, as far as it leads. */
function follow(root: Box, functions: number[]): Box {
  let box = root;
  for (const func of functions) {
    const next = box.children?.find((child) => child.data.func === func);
    if (next === undefined) break;
    box = next;
  }
  return box;
}

function path(box: Box): number[] {
  return box
    .ancestors()
    .reverse()
    .slice(1)
    .map((above) => above.data.func);
}

/** The boxes that are wide enough, from this one on. */
function visible(from: Box, isWide: (box: Box) => boolean): Box[] {
  const boxes = [from];
  for (let at = 0; at < boxes.length; at++) boxes.push(...(boxes[at].children ?? []).filter(isWide));
  return boxes;
}

/** The boxes that match and are in none that does. */
function outermost(root: Box, matches: (box: Box) => boolean): Box[] {
  const found: Box[] = [];
  const open = [root];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    if (matches(box)) found.push(box);
    else open.push(...(box.children ?? []));
  }
  return found;
}

/** The same for functions of one package. */
function colour(func: string): number {
  const slash = func.lastIndexOf("/");
  const dot = func.indexOf(".", slash);
  let hash = 0;
  for (let at = 0; at < (dot < 0 ? func.length : dot); at++) hash = (hash * 31 + func.charCodeAt(at)) >>> 0;
  return hash % COLOURS;
}
