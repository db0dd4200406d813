import { hierarchy, partition, type HierarchyRectangularNode } from "d3-hierarchy";
import { scaleLinear } from "d3-scale";
import { useMemo, useState } from "preact/hooks";
import { callTree, type Call, type Width } from "./calls";
import { lower } from "./filter";
import { usePage } from "./page";


type Box = HierarchyRectangularNode<Call>;

const ROW = 20;
/** Narrower boxes aren't drawn: nobody can see or point at them. Percent of the width. */
const NARROWEST = 0.1;
const COLOURS = 8;

/** All selected stacks in one picture: width is how much is in a function, with points in time at one of them, and colour what changed. */
export function Flame() {
  const { dump, selection } = usePage();
  const [zoomed, setZoomed] = useState<number[]>([]);
  const [search, setSearch] = useState("");
  const [upwards, setUpwards] = useState(false);
  const isCompared = dump.points.length > 1;
  const [width, setWidth] = useState<Width>(isCompared ? "after" : "all");
  const root = useMemo(() => {
    const tree = hierarchy(callTree(dump, selection, width), (call) => call.children);
    tree.each((node) => Object.assign(node, { value: node.data.total }));
    tree.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    return partition<Call>()(tree);
  }, [dump, selection, width]);
  const focus = follow(root, zoomed);
  const across = scaleLinear().domain([focus.x0, focus.x1]).range([0, 100]);
  const needle = lower(search);
  const name = (box: Box) => (box.depth === 0 ? "all" : dump.strings[box.data.func]);
  const matches = (box: Box) => needle !== "" && box.depth > 0 && lower(name(box)).includes(needle);
  const boxes = [...focus.ancestors().slice(1), ...visible(focus, (box) => across(box.x1) - across(box.x0) >= NARROWEST)];
  const deepest = boxes.reduce((depth, box) => Math.max(depth, box.depth), 0);
  const found = needle === "" ? 0 : outermost(root, matches).reduce((sum, box) => sum + box.data.total, 0);
  const told = (call: Call) =>
    isCompared
      ? `${dump.amount(call.before)} → ${dump.amount(call.after)} (${dump.change(call.after - call.before)})`
      : `${dump.amount(call.total)} (${share(call.total)})`;
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
            {dump.amount(found)} ({share(found)})
          </span>
        )}
        <button onClick={() => setUpwards(!upwards)}>{upwards ? "Callers on top" : "Callers below"}</button>
        {isCompared && (
          <label>
            Width{" "}
            <select value={width} onChange={(event) => setWidth(event.currentTarget.value as Width)}>
              <option value="after">{dump.points[dump.points.length - 1]}</option>
              <option value="before">{dump.points[0]}</option>
              <option value="all">both</option>
            </select>
          </label>
        )}
        {isCompared && <span class="facts">red has grown, blue has shrunk</span>}
        {zoomed.length > 0 && <button onClick={() => setZoomed([])}>Whole graph</button>}
      </div>
      <div class="flame" style={{ height: (deepest + 1) * ROW }}>
        {boxes.map((box) => {
          const left = Math.max(0, across(box.x0));
          const wide = Math.min(100, across(box.x1)) - left;
          const y = (upwards ? deepest - box.depth : box.depth) * ROW;
          return (
            <button
              key={path(box).join(",")}
              class={`box ${isCompared ? "compared" : `c${colour(name(box))}`} ${matches(box) ? "found" : ""} ${box.depth < focus.depth ? "above" : ""}`}
              style={{ left: `${left}%`, width: `${wide}%`, top: y, ...(isCompared ? { background: changed(box.data) } : {}) }}
              onClick={() => setZoomed(path(box))}
              title={`${name(box)}: ${told(box.data)}`}
            >
              {wide > 2 ? name(box).slice(name(box).lastIndexOf("/") + 1) : ""}
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

/** How much of the larger of both numbers the change is: white is none, red all of what grew, blue of what shrank. */
const CHANGE = scaleLinear([-1, 0, 1], ["#7fb2ff", "#f3f3f3", "#ff9a8a"]).clamp(true);

function changed({ before, after }: Call): string {
  const most = Math.max(Math.abs(before), Math.abs(after));
  return CHANGE(most === 0 ? 0 : (after - before) / most);
}

/** The same for functions of one package. */
function colour(func: string): number {
  const slash = func.lastIndexOf("/");
  const dot = func.indexOf(".", slash);
  let hash = 0;
  for (let at = 0; at < (dot < 0 ? func.length : dot); at++) hash = (hash * 31 + func.charCodeAt(at)) >>> 0;
  return hash % COLOURS;
}
