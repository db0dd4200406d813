import { useMemo } from "preact/hooks";
import { thousands } from "./amount";
import { leastDifference, median, outliers } from "./peers";
import { usePage } from "./page";

/** Stacks that are shown; the others have fewer goroutines. */
const ROWS = 200;

/** How many goroutines each input has in each stack; what differs from the other inputs is marked. */
export function Matrix() {
  const { dump, selection, view, showStacks } = usePage();
  const totals = useMemo(() => {
    const totals = dump.inputs.map(() => 0);
    for (let group = 0; group < dump.groupCount; group++) totals[dump.document.groups.input[group]] += selection.ofGroup[group];
    return totals;
  }, [dump, selection]);
  // An input of which nothing is selected is no peer.
  const inputs = dump.inputs.flatMap((_, at) => (view.hiddenInputs.has(at) || totals[at] === 0 ? [] : [at]));
  const least = leastDifference(inputs.map((input) => totals[input]));
  const { rows, more } = useMemo(() => {
    const rows = [];
    for (let stack = 0; stack < dump.stackCount; stack++) {
      if (selection.ofStack[stack] === 0) continue;
      const counts = dump.inputs.map(() => 0);
      for (const group of dump.groupsOf(stack)) counts[dump.document.groups.input[group]] += selection.ofGroup[group];
      rows.push({ stack, counts });
    }
    rows.sort((a, b) => selection.ofStack[b.stack] - selection.ofStack[a.stack]);
    return { rows: rows.slice(0, ROWS), more: rows.length - ROWS };
  }, [dump, selection]);
  return (
    <section class="sheet" aria-label="Stacks by input">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">stack</th>
            <th scope="col">median</th>
            {inputs.map((input) => (
              <th scope="col">{dump.inputs[input].name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ stack, counts }) => {
            const shown = inputs.map((input) => counts[input]);
            const odd = outliers(shown, least);
            return (
              <tr>
                <th scope="row">
                  <button onClick={() => showStacks([stack])}>{dump.name(stack)}</button>
                </th>
                <td class="count">{dump.amount(median(shown))}</td>
                {shown.map((count, at) => (
                  <td class={`count ${odd.has(at) ? "odd" : ""}`}>{count === 0 ? "" : dump.amount(count)}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {more > 0 && <p>and {thousands(more)} stacks with less</p>}
    </section>
  );
}
