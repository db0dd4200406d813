import { percentText, thousands } from "./amount";
import type { SummaryRow } from "./document";
import { usePage } from "./page";
import { minutes } from "./text";
import { UNFILTERED, type View } from "./view";

/** The table of `summarize`, of what was selected when the page was written; its keys lead to what they count. */
export function Summary() {
  const { dump, documents, update } = usePage();
  const summary = documents.summary;
  if (summary === undefined) return null;
  const ofFrames = summary.rows.some((row) => row.cum !== undefined);
  const whole = summary.whole ?? summary.total;
  const share = (count: number) => (whole === 0 ? "" : percentText(count / whole));
  const states = (row: SummaryRow) =>
    Object.entries(row.states)
      .sort((a, b) => b[1] - a[1])
      .slice(0, 3)
      .map(([state, count]) => `${state} ${thousands(count)}`)
      .join(" · ");
  const columns = [
    ...(ofFrames ? ["flat", "flat %", "cum", "cum %"] : [dump.document.value?.type ?? "goroutines", "share"]),
    "stacks",
  ];
  // Rows of states would say them twice.
  const hasStates = !summary.by.includes("state") && summary.rows.some((row) => Object.keys(row.states).length > 0);
  const hasWaits = summary.rows.some((row) => row.wait_minutes !== null && row.wait_minutes.max > 0);
  const waits = (row: SummaryRow) => {
    if (row.wait_minutes === null || row.wait_minutes.max === 0) return "";
    const { min, max } = row.wait_minutes;
    return min === max ? minutes(max) : `${minutes(min)} to ${minutes(max)}`;
  };
  return (
    <section class="sheet" aria-label="Summary">
      <table data-testid="summary">
        <thead>
          <tr>
            {summary.by.map((key) => (
              <th scope="col">{key}</th>
            ))}
            {columns.map((text) => (
              <th scope="col" class="count">
                {text}
              </th>
            ))}
            {hasStates && <th scope="col">states</th>}
            {hasWaits && <th scope="col">waited</th>}
            <th scope="col">top stack</th>
          </tr>
        </thead>
        <tbody>
          {summary.rows.map((row) => (
            <tr>
              {summary.by.map((key) => (
                <Key name={key} value={row[key]} update={update} />
              ))}
              {(ofFrames ? [row.flat ?? 0, row.cum ?? 0] : [row.total]).map((count) => (
                <>
                  <td class="count">{dump.amount(count)}</td>
                  <td class="count facts">{share(count)}</td>
                </>
              ))}
              <td class="count">{thousands(row.stacks)}</td>
              {hasStates && <td>{states(row)}</td>}
              {hasWaits && <td>{waits(row)}</td>}
              <td>{row.top_stack?.name}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {summary.left_out > 0 && <p class="facts">and {thousands(summary.left_out)} more rows</p>}
      <p class="facts">Of all that was selected when the page was written, whatever the filter says.</p>
    </section>
  );
}

interface KeyProps {
  name: string;
  value: unknown;
  update: (change: Partial<View>, asStep?: boolean) => void;
}

/** A value of a key; most can be looked at. */
function Key({ name, value, update }: KeyProps) {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const shown = text === "" ? <span class="facts">unknown</span> : text;
  const change = text === "" ? undefined : asView(name, text);
  return (
    <th scope="row">
      {change === undefined ? (
        shown
      ) : (
        <button onClick={() => update({ ...UNFILTERED, sheet: "stacks", ...change }, true)}>{shown}</button>
      )}
    </th>
  );
}

/** What shows the rows' goroutines. */
function asView(key: string, text: string): Partial<View> | undefined {
  if (key === "state") return { states: new Set([text]) };
  if (key === "kind") return { kinds: new Set([text]) };
  if (key.startsWith("label:")) return { labels: new Set([`${key.slice("label:".length)}=${text}`]) };
  if (key === "category" || key === "name" || key === "file") return { conditions: [{ field: key, text, not: false }] };
  if (key === "function" || key === "package") return { conditions: [{ field: "function", text, not: false }] };
  return undefined;
}
