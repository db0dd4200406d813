import { useMemo, useState } from "preact/hooks";
import { percentText, thousands } from "./amount";
import type { DiffDocument, DiffRow, Status } from "./document";
import type { Dump } from "./dump";
import { usePage } from "./page";
import { Points } from "./points";

const STATUSES: Status[] = ["new", "grown", "shrunk", "gone", "same"];
/** Rows shown at first, and with each click more. */
const ROWS = 200;

/** What `diff` found: from which number to which, what is new, grown, shrunk and gone. */
export function Changes() {
  const { dump, documents, showStacks, update } = usePage();
  const [statuses, setStatuses] = useState<ReadonlySet<Status>>(new Set(STATUSES.slice(0, 4)));
  const [shown, setShown] = useState(ROWS);
  const stacksOf = useMemo(() => stacksOfRows(dump), [dump]);
  const diff = documents.diff;
  if (diff === undefined) return null;
  const rows = diff.rows.filter((row) => statuses.has(row.status) && (!row.small || statuses.has("same")));
  const toggle = (status: Status) => {
    const changed = new Set(statuses);
    if (!changed.delete(status)) changed.add(status);
    setStatuses(changed);
  };
  const first = diff.totals[0];
  const last = diff.totals[diff.totals.length - 1];
  const noun = dump.document.value?.type ?? "goroutines";
  return (
    <section class="sheet" aria-label="Changes">
      <p class="strong" data-testid="headline">
        {diff.points[0]} → {diff.points[diff.points.length - 1]}: {dump.amount(first)} → {dump.amount(last)} {noun} (
        {dump.change(diff.change)}
        {diff.percent !== null && `, ${signed(diff.percent / 100)}`})
        {diff.points.length > 2 && ` over ${diff.points.length} points`}
      </p>
      {diff.persist !== null && <p>{thousands(diff.persist)} goroutines are where they were at every point.</p>}
      {diff.notes.map((note) => (
        <p class="notice">{note}</p>
      ))}
      <div class="choices">
        {STATUSES.map((status) => (
          <label>
            <input type="checkbox" checked={statuses.has(status)} onChange={() => toggle(status)} /> {status}{" "}
            {thousands(diff.statuses[status].rows)}
            <Tallied diff={diff} status={status} dump={dump} />
          </label>
        ))}
        {diff.small.rows > 0 && <span class="facts">{thousands(diff.small.rows)} changed by less than was asked for</span>}
      </div>
      <table class="changes">
        <thead>
          <tr>
            <th scope="col" class="count">
              change
            </th>
            <th scope="col" class="count">
              %
            </th>
            <th scope="col" class="count">
              {diff.points.length > 2 ? "from point to point" : "before → after"}
            </th>
            <th scope="col">became</th>
            {keysOf(diff).map((key) => (
              <th scope="col">{key}</th>
            ))}
            <th scope="col">
              <span class="hidden">stacks</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => {
            const stacks = stacksOf(row);
            return (
              <tr class={row.status} data-testid="changed">
                <td class="count change">{dump.change(row.change)}</td>
                <td class="count facts">{row.percent === null ? "" : signed(row.percent / 100)}</td>
                <td class="count">
                  <Points counts={row.counts} bare />
                </td>
                <td class="status">{row.status}</td>
                {keysOf(diff).map((key) => (
                  <td class="key">{textOf(row, key)}</td>
                ))}
                <td>
                  {diff.by.includes("function") ? (
                    <button onClick={() => update({ sheet: "functions", func: textOf(row, "function") }, true)}>show</button>
                  ) : (
                    stacks.length > 0 && <button onClick={() => showStacks(stacks)}>show</button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length === 0 && <p>Nothing of that.</p>}
      {rows.length > shown && (
        <button onClick={() => setShown(shown + ROWS)}>{thousands(rows.length - shown)} more</button>
      )}
      {diff.left_out > 0 && <p class="facts">and {thousands(diff.left_out)} rows that the page was written without</p>}
      <p class="facts">Of all that was selected when the page was written, whatever the filter says.</p>
    </section>
  );
}

function Tallied({ diff, status, dump }: { diff: DiffDocument; status: Status; dump: Dump }) {
  const { change } = diff.statuses[status];
  return change === 0 ? null : <span class="facts"> ({dump.change(change)})</span>;
}

function signed(share: number): string {
  return share > 0 ? `+${percentText(share)}` : percentText(share);
}

/** Ids are no names: rows of shapes are called as their most frequent stack. */
function keysOf(diff: DiffDocument): string[] {
  return diff.by.flatMap((key) => (["shape", "stack", "id"].includes(key) ? ["category", "name"] : [key]));
}

function textOf(row: DiffRow, key: string): string {
  const value = row[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : "unknown";
}

/** The stacks of a row's shape, else the one it names. */
function stacksOfRows(dump: Dump): (row: DiffRow) => number[] {
  const byShape = new Map<string, number[]>();
  dump.document.stacks.shape.forEach((shape, stack) => {
    const known = byShape.get(shape);
    if (known) known.push(stack);
    else byShape.set(shape, [stack]);
  });
  return (row) => byShape.get(row.shape) ?? [dump.stackOfId(row.stack)].filter((stack) => stack !== undefined);
}
