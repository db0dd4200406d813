import { useMemo, useState } from "preact/hooks";
import { thousands } from "./amount";
import type { Pile } from "./document";
import { chains, holderOf, layOut, type Behind } from "./chains";
import { usePage } from "./page";
import { minutes } from "./text";

const WIDTH = 330;
const HEIGHT = 104;
const GAP = 48;
/** Circles, odd waits and chains shown at first, and with each click more. */
const SHOWN = 30;

/** Who waits for whom: locks with those that wait for them, who may hold them, and what these wait for. */
export function Locks() {
  const { dump, documents, selection, goTo } = usePage();
  const [shown, setShown] = useState(SHOWN);
  const { piles, cycles, locked_twice: twice, starters } = documents.waits;
  const drawn = useMemo(() => {
    const { stack, input } = dump.document.groups;
    const selected = new Set<string>();
    for (let group = 0; group < dump.groupCount; group++) {
      if (selection.ofGroup[group] > 0) selected.add(`${input[group]} ${dump.document.stacks.id[stack[group]]}`);
    }
    return chains(piles, (pile) => pile.stacks.some((id) => selected.has(`${dump.inputNamed(pile.input)} ${id}`)));
  }, [dump, piles, selection]);
  const go = (input: string, id: string) => {
    const goroutine = dump.find(dump.inputNamed(input), id);
    return goroutine === undefined ? null : <button onClick={() => goTo(goroutine)}>go to {id}</button>;
  };
  const odd = [...twice, ...starters];
  const left = [cycles, odd, drawn].reduce((sum, all) => sum + Math.max(0, all.length - shown), 0);
  const on = (input: string) => (dump.inputs.length > 1 ? `${input}: ` : "");
  return (
    <section class="sheet" aria-label="Locks">
      {cycles.slice(0, shown).map((cycle) => (
        <p class={cycle.certain ? "alarm" : "notice"} data-testid="circle">
          {on(cycle.input)}
          {!cycle.certain && "probably: "}
          {cycle.text} {cycle.members.map(({ id }) => [go(cycle.input, id), " "])}
        </p>
      ))}
      {odd.slice(0, shown).map(({ input, id, text }) => (
        <p class="notice">
          {on(input)}
          {text} {go(input, id)}
        </p>
      ))}
      <div class="chains">
        {drawn.slice(0, shown).map((chain) => (
          <Chain chain={chain} />
        ))}
      </div>
      {drawn.length === 0 && <p>No lock is waited for by what is selected.</p>}
      {left > 0 && <button onClick={() => setShown(shown + SHOWN)}>{thousands(left)} more</button>}
      <p class="facts">
        An arrow leads to what the holder waits for. Who holds a lock is told by the addresses in calls, else guessed by
        the shape of stacks (dashed).
      </p>
    </section>
  );
}

function Chain({ chain }: { chain: Behind }) {
  const { boxes, links, width, height } = layOut(chain, WIDTH + GAP, HEIGHT + 12);
  return (
    <div class="chain" style={{ width, height }} data-testid="chain">
      <svg width={width} height={height} aria-hidden="true">
        {links.map(({ from, to }) => {
          const [x1, y1, x2, y2] = [from.x, from.y + HEIGHT / 2, to.x + WIDTH, to.y + HEIGHT / 2];
          return (
            <>
              <path d={`M${x1},${y1} C${x1 - GAP / 2},${y1} ${x2 + GAP / 2},${y2} ${x2 + 6},${y2}`} />
              <path class="head" d={`M${x2},${y2} l8,-4 v8 z`} />
            </>
          );
        })}
      </svg>
      {boxes.map(({ behind, x, y }) => (
        <PileBox behind={behind} x={x} y={y} />
      ))}
    </div>
  );
}

/** `55 wait 7m for mutex 0xc000010008`, where, and who holds it. */
function PileBox({ behind, x, y }: { behind: Behind; x: number; y: number }) {
  const { dump, goTo, showStacks } = usePage();
  const { pile, isCircle } = behind;
  const holder = holderOf(pile);
  const input = dump.inputNamed(pile.input);
  const of = (id: string | null) => (id === null ? undefined : dump.find(input, id));
  const toStacks = (ids: string[]) => showStacks(ids.flatMap((id) => dump.stackOfId(id) ?? []));
  const goroutine = holder && of(holder.id);
  const wait = (minutesWaited: number | null) => (minutesWaited === null || minutesWaited === 0 ? "" : ` ${minutes(minutesWaited)}`);
  return (
    <div
      class={`pile ${isCircle ? "circle" : ""} ${holder?.evidence === "by shape" ? "guess" : ""}`}
      style={{ left: x, top: y, width: WIDTH, height: HEIGHT }}
      data-testid="pile"
    >
      <button onClick={() => toStacks(pile.stacks)} title={pile.function.func}>
        {thousands(pile.total)} wait{wait(pile.longest_minutes)} for {thing(pile)}
        <br />
        {dump.inputs.length > 1 && `${pile.input}: `}
        <code>{short(pile.function.func)}</code>
      </button>
      {holder === undefined ? (
        <span class="facts">nobody is seen to hold it</span>
      ) : (
        <button
          onClick={() => (goroutine === undefined ? toStacks([holder.stack]) : goTo(goroutine))}
          title={`${holder.function.func} (${holder.evidence})`}
        >
          held by {holder.id ?? "one"}
          {pile.holders.length + pile.more_holders > 1 && ` or ${thousands(pile.holders.length + pile.more_holders - 1)} others`} [
          {holder.state ?? "unknown"}
          {wait(holder.wait_minutes)}]
          <br />
          <code>{short(holder.function.func)}</code>
        </button>
      )}
    </div>
  );
}

/** What is waited for: `mutex 0xc000010008`. */
function thing(pile: Pile): string {
  const address = pile.lock ?? (pile.owner === null ? "" : `in ${pile.owner}`);
  return `${pile.kind} ${address}`.trim();
}

/** A function without the folders of its package. */
function short(func: string): string {
  return func.slice(func.lastIndexOf("/") + 1);
}
