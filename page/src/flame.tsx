import { hierarchy, partition } from "d3-hierarchy";
import { scaleLinear } from "d3-scale";
import { useMemo, useState } from "preact/hooks";
import { callTree, type Call, type Width } from "./calls";
import { lower } from "./filter";
import { Icicle, type Box } from "./icicle";
import { usePage } from "./page";
import { FunctionSearch } from "./search";

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
  const needle = lower(search);
  const name = (box: Box<Call>) => (box.depth === 0 ? "all" : dump.strings[box.data.func]);
  const matches = (box: Box<Call>) => needle !== "" && box.depth > 0 && lower(name(box)).includes(needle);
  const found = needle === "" ? 0 : outermost(root, matches).reduce((sum, box) => sum + box.data.total, 0);
  const share = (count: number) => `${((100 * count) / root.data.total).toFixed(1)}%`;
  const told = (call: Call) =>
    isCompared
      ? `${dump.amount(call.before)} → ${dump.amount(call.after)} (${dump.change(call.after - call.before)})`
      : `${dump.amount(call.total)} (${share(call.total)})`;
  if (root.data.total === 0) return <p class="empty">No goroutine matches.</p>;
  return (
    <section class="sheet" aria-label="Flame graph">
      <div class="choices">
        <FunctionSearch label="Search functions in the flame graph" hint="mark functions" text={search} change={setSearch} />
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
              <option value="all">all points</option>
            </select>
          </label>
        )}
        {isCompared && <span class="facts">red has grown, blue has shrunk</span>}
        {zoomed.length > 0 && <button onClick={() => setZoomed([])}>Whole graph</button>}
      </div>
      <Icicle
        root={root}
        zoomed={zoomed}
        zoom={setZoomed}
        keyOf={(call) => call.func}
        name={(box) => name(box).slice(name(box).lastIndexOf("/") + 1)}
        title={(box) => `${name(box)}: ${told(box.data)}`}
        family={(box) => packageOf(name(box))}
        background={isCompared ? (box) => changed(box.data) : undefined}
        isFound={matches}
        upwards={upwards}
      />
    </section>
  );
}

/** The boxes that match and are in none that does. */
function outermost(root: Box<Call>, matches: (box: Box<Call>) => boolean): Box<Call>[] {
  const found: Box<Call>[] = [];
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

function packageOf(func: string): string {
  const dot = func.indexOf(".", func.lastIndexOf("/"));
  return dot < 0 ? func : func.slice(0, dot);
}
