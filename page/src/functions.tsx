import { useMemo, useState } from "preact/hooks";
import { percentText, thousands } from "./amount";
import { functionTotals, neighbours, type FunctionTotal, type Neighbour } from "./totals";
import { lower } from "./filter";
import { usePage } from "./page";
import { FunctionSearch } from "./search";

/** Rows shown at first, and with each click more. */
const ROWS = 200;

/** Every function of the selection with what is in it; of one of them who calls it and whom it calls. */
export function Functions() {
  const { dump, selection, view, update } = usePage();
  const [search, setSearch] = useState("");
  const [byCum, setByCum] = useState(false);
  const [shown, setShown] = useState(ROWS);
  const totals = useMemo(() => functionTotals(dump, selection), [dump, selection]);
  const rows = useMemo(() => {
    const needle = lower(search);
    const found = totals.filter(({ func }) => lower(dump.strings[func]).includes(needle));
    return byCum ? found.sort((a, b) => Math.abs(b.cum) - Math.abs(a.cum)) : found;
  }, [dump, totals, search, byCum]);
  const share = (count: number) => (selection.total === 0 ? "" : percentText(count / selection.total));
  const focus = view.func === undefined ? undefined : totals.find(({ func }) => dump.strings[func] === view.func);
  const go = (func: number) => update({ func: dump.strings[func] }, true);
  return (
    <section class="sheet" aria-label="Functions">
      {view.func !== undefined && (
        <div class="choices">
          <button onClick={() => update({ func: undefined }, true)}>All functions</button>
        </div>
      )}
      {focus !== undefined ? (
        <Focus total={focus} go={go} share={share} />
      ) : view.func !== undefined ? (
        <p>Nothing that is selected is in {view.func}.</p>
      ) : (
        <>
          <div class="choices">
            <FunctionSearch label="Search functions" hint="find functions" text={search} change={setSearch} />
            <button aria-pressed={!byCum} onClick={() => setByCum(false)}>
              Most of their own first
            </button>
            <button aria-pressed={byCum} onClick={() => setByCum(true)}>
              Most with callees first
            </button>
          </div>
          <table class="functions">
            <thead>
              <tr>
                {["flat", "flat %", "cum", "cum %"].map((text) => (
                  <th scope="col" class="count">
                    {text}
                  </th>
                ))}
                <th scope="col">function</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shown).map(({ func, flat, cum }) => (
                <tr data-testid="function">
                  <td class="count">{dump.amount(flat)}</td>
                  <td class="count facts">{share(flat)}</td>
                  <td class="count">{dump.amount(cum)}</td>
                  <td class="count facts">{share(cum)}</td>
                  <th scope="row">
                    <button onClick={() => go(func)}>{dump.strings[func]}</button>
                  </th>
                </tr>
              ))}
            </tbody>
          </table>
          {rows.length > shown && <button onClick={() => setShown(shown + ROWS)}>{thousands(rows.length - shown)} more</button>}
        </>
      )}
    </section>
  );
}

interface FocusProps {
  total: FunctionTotal;
  go: (func: number) => void;
  share: (count: number) => string;
}

/** A function between its callers and its callees; each can be gone to. */
function Focus({ total, go, share }: FocusProps) {
  const { dump, selection, update } = usePage();
  const { callers, callees } = useMemo(() => neighbours(dump, selection, total.func), [dump, selection, total]);
  const row = (role: string) => (one: Neighbour) => (
    <tr data-testid={role}>
      <td class="count">{dump.amount(one.count)}</td>
      <td class="count facts">{total.cum === 0 ? "" : percentText(one.count / total.cum)}</td>
      <td class="track">
        <div class="bar" style={{ width: `${Math.min(100, Math.abs((100 * one.count) / (total.cum || 1)))}%` }} />
      </td>
      <th scope="row">
        <button onClick={() => go(one.func)}>{dump.strings[one.func]}</button>
      </th>
    </tr>
  );
  const name = dump.strings[total.func];
  return (
    <>
      <table class="functions">
        <tbody>
          <Title text={callers.length === 0 ? "Nobody calls it" : "Callers"} />
          {callers.map(row("caller"))}
          <tr class="focus" data-testid="focus">
            <td class="count">{dump.amount(total.cum)}</td>
            <td class="count">{share(total.cum)}</td>
            <td>{dump.amount(total.flat)} of its own</td>
            <th scope="row">{name}</th>
          </tr>
          <Title text={callees.length === 0 ? "It calls nothing" : "Callees"} />
          {callees.map(row("callee"))}
        </tbody>
      </table>
      <div class="choices">
        <button onClick={() => update({ sheet: "stacks", conditions: [{ field: "function", text: name, not: false }] }, true)}>
          Its stacks
        </button>
      </div>
    </>
  );
}

function Title({ text }: { text: string }) {
  return (
    <tr>
      <th scope="colgroup" colSpan={4}>
        {text}
      </th>
    </tr>
  );
}
