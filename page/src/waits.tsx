import { scaleLinear } from "d3-scale";
import { useMemo } from "preact/hooks";
import { usePage } from "./page";
import { thousands } from "./amount";
import { minutes } from "./text";

/** Where the ranges of the histogram start, in minutes. */
const STARTS = [0, 1, 2, 5, 10, 30, 60, 180, 720, 1440, 4320];

/** How long selected goroutines have waited; a bar shows those of its range. */
export function Waits() {
  const { dump, selection, view, update } = usePage();
  const { bars, unknown } = useMemo(() => {
    const bars = STARTS.map(() => 0);
    let known = 0;
    for (let at = 0; at < dump.waits.length; at++) {
      if (selection.goroutines[at] === 0 || !dump.isNow(dump.groupOf[at]) || Number.isNaN(dump.waits[at])) continue;
      bars[STARTS.findLastIndex((start) => start <= dump.waits[at])]++;
      known++;
    }
    return { bars, unknown: selection.total - known };
  }, [dump, selection]);
  const across = scaleLinear().domain([0, Math.max(1, ...bars)]).range([0, 100]);
  const term = (at: number) => {
    const next = STARTS[at + 1];
    if (next === undefined) return `wait:${STARTS[at]}+`;
    return next - 1 === STARTS[at] ? `wait:${STARTS[at]}` : `wait:${STARTS[at]}-${next - 1}`;
  };
  const text = (at: number) => {
    const next = STARTS[at + 1];
    if (next === undefined) return `${minutes(STARTS[at])} and more`;
    return `${minutes(STARTS[at])} to ${minutes(next)}`;
  };
  const words = view.query.split(" ").filter((word) => word !== "" && !word.startsWith("wait:"));
  return (
    <section class="sheet" aria-label="Waits">
      <table class="waits">
        <thead>
          <tr>
            <th scope="col">waited</th>
            <th scope="col" class="count">
              goroutines
            </th>
            <th scope="col" />
          </tr>
        </thead>
        <tbody>
          {bars.slice(0, bars.findLastIndex((count) => count > 0) + 1).map((count, at) => (
            <tr>
              <th scope="row">
                <button onClick={() => update({ query: [...words, term(at)].join(" ") })}>{text(at)}</button>
              </th>
              <td class="count" data-testid="bar">
                {thousands(count)}
              </td>
              <td class="track">
                <div class="bar" style={{ width: `${across(count)}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {unknown > 0 && <p>Of {thousands(unknown)} it isn't known how long they have waited.</p>}
    </section>
  );
}
