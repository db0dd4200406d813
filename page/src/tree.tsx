import { useMemo, useState } from "preact/hooks";
import type { Dump } from "./dump";
import type { Selection } from "./filter";
import { Icicle, type Box } from "./icicle";
import { List } from "./list";
import { usePage } from "./page";
import { Arrow, toggled } from "./stacks";
import { thousands } from "./amount";
import { creatorBoxes, type Created } from "./creators";
import { minutes } from "./text";

interface Node {
  key: string;
  level: number;
  open?: boolean;
  goroutine: number;
  created: number[];
  selected: boolean;
}

/** Who created whom, down from goroutines whose creator is gone: as a list or as a picture. */
export function Tree() {
  const { dump, selection, goTo } = usePage();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [isDrawn, setDrawn] = useState(false);
  const [top, setTop] = useState<number | undefined>(undefined);
  const wanted = useMemo(() => towards(dump, selection), [dump, selection]);
  const roots = useMemo(() => (top === undefined ? rootsOf(dump, wanted) : [top]), [dump, wanted, top]);
  const rows = useMemo(() => rowsOf(dump, selection, wanted, roots, open), [dump, selection, wanted, roots, open]);
  if (rows.length === 0) return <p class="empty">No goroutine matches.</p>;
  const toggle = (row: Node) => row.open !== undefined && setOpen(toggled(open, row.key));
  return (
    <section class="sheet filled" aria-label="Who created whom">
      <div class="choices">
        <span>
          {thousands(roots.length)} {roots.length === 1 ? "root" : "roots"}
        </span>
        <button aria-pressed={isDrawn} onClick={() => setDrawn(!isDrawn)}>
          Picture
        </button>
        {top !== undefined && <button onClick={() => setTop(undefined)}>Whole tree</button>}
      </div>
      {isDrawn ? (
        <Picture wanted={wanted} roots={roots} />
      ) : (
      <List
        rows={rows}
        label="Who created whom"
        toggle={toggle}
        height={() => 28}
        testId={() => "node"}
        className={(row) => (row.selected ? "node" : "node passed")}
        render={(row) => (
          <div class="line" style={{ paddingLeft: `${row.level * 1.2}em` }}>
            <button class="name" tabIndex={-1} onClick={() => toggle(row)}>
              <Arrow open={row.open} /> {dump.fullId(row.goroutine)}
            </button>
            <span class="facts">
              [{dump.state(dump.groupOf[row.goroutine])}
              {dump.waits[row.goroutine] > 0 && `, ${minutes(dump.waits[row.goroutine])}`}]{" "}
              {dump.name(dump.stackOf(dump.groupOf[row.goroutine]))}
            </span>
            <span class="tools">
              <button onClick={() => goTo(row.goroutine)}>Stack</button>
              {row.open !== undefined && <button onClick={() => setTop(row.goroutine)}>Only this</button>}
            </span>
            {row.created.length > 0 && <span class="count">created {thousands(row.created.length)}</span>}
          </div>
        )}
      />
      )}
    </section>
  );
}

/** Each goroutine as a box, those that it created below it; a box is as wide as how many there are. */
function Picture({ wanted, roots }: { wanted: Uint8Array; roots: number[] }) {
  const { dump, selection, goTo } = usePage();
  const [zoomed, setZoomed] = useState<number[]>([]);
  const root = useMemo(() => creatorBoxes(dump, wanted, roots), [dump, wanted, roots]);
  const stack = (box: Box<Created>) => dump.name(dump.stackOf(dump.groupOf[box.data.goroutine]));
  const last = zoomed[zoomed.length - 1];
  return (
    <div class="picture">
      <div class="choices">
        {last !== undefined && (
          <>
            <button onClick={() => setZoomed(zoomed.slice(0, -1))}>To its creator</button>
            <button onClick={() => setZoomed([])}>Whole picture</button>
            <button onClick={() => goTo(last)}>Stack of {dump.fullId(last)}</button>
          </>
        )}
      </div>
      <Icicle
        root={root}
        zoomed={zoomed}
        zoom={setZoomed}
        keyOf={(one) => one.goroutine}
        name={(box) => (box.depth === 0 ? "all" : `${dump.fullId(box.data.goroutine)} ${stack(box)}`)}
        title={(box) =>
          box.depth === 0
            ? `${thousands((box.value ?? 1) - 1)} goroutines`
            : `${dump.fullId(box.data.goroutine)} [${dump.state(dump.groupOf[box.data.goroutine])}] ${stack(box)}: created ${thousands((box.value ?? 1) - 1)}, and those that they created`
        }
        family={(box) => (box.depth === 0 ? "" : stack(box))}
        isFound={(box) => box.depth > 0 && selection.goroutines[box.data.goroutine] === 1 && selection.total < dump.total}
      />
    </div>
  );
}

/** The selected goroutines and all that lead to them. */
function towards(dump: Dump, selection: Selection): Uint8Array {
  const wanted = new Uint8Array(dump.groupOf.length);
  for (let at = 0; at < wanted.length; at++) {
    if (selection.goroutines[at] === 0) continue;
    // Ends at what was passed before, so that goroutines that create each other end, too.
    for (let up: number | undefined = at; up !== undefined && wanted[up] === 0; up = dump.creatorOf(up)) wanted[up] = 1;
  }
  return wanted;
}

/** Those whose creator isn't there, and one of each circle that ids used twice may make; those with most below them first. */
function rootsOf(dump: Dump, wanted: Uint8Array): number[] {
  const reached = new Uint8Array(wanted.length);
  const roots: number[] = [];
  let passed = 0;
  const below = new Uint32Array(wanted.length);
  const add = (root: number) => {
    const before = passed;
    roots.push(root);
    const open = [root];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reached[at]) continue;
      reached[at] = 1;
      passed++;
      for (const child of dump.createdBy(at)) if (wanted[child]) open.push(child);
    }
    below[root] = passed - before;
  };
  for (let at = 0; at < wanted.length; at++) if (wanted[at] && dump.creatorOf(at) === undefined) add(at);
  for (let at = 0; at < wanted.length; at++) if (wanted[at] && !reached[at]) add(at);
  // Most have none below them: those stay as they are.
  const parents = roots.filter((root) => below[root] > 1).sort((a, b) => below[b] - below[a]);
  return [...parents, ...roots.filter((root) => below[root] <= 1)];
}

function rowsOf(dump: Dump, selection: Selection, wanted: Uint8Array, roots: number[], open: ReadonlySet<string>): Node[] {
  const rows: Node[] = [];
  const left: { goroutine: number; above: string; level: number }[] = [];
  const push = (goroutines: number[], above: string, level: number) => {
    for (let at = goroutines.length - 1; at >= 0; at--) left.push({ goroutine: goroutines[at], above, level });
  };
  push(roots, "", 1);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { goroutine, above, level } = next;
    const key = `${above}/${goroutine}`;
    const created = dump.createdBy(goroutine).filter((child) => wanted[child]);
    // One that stands above itself isn't opened again.
    const again = `${above}/`.includes(`/${goroutine}/`);
    const isOpen = created.length === 0 || again ? undefined : open.has(key);
    rows.push({ key, level, open: isOpen, goroutine, created, selected: selection.goroutines[goroutine] === 1 });
    if (isOpen) push(created, key, level + 1);
  }
  return rows;
}
