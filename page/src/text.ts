import { thousands } from "./amount";
import type { Dump } from "./dump";
import type { Selection } from "./filter";

/** `5m`, `2.5m`, `3h 20m`, `2d 4h`. */
export function minutes(wait: number): string {
  if (wait < 60) return `${Number(wait.toFixed(1))}m`;
  const whole = Math.round(wait);
  const [large, small, names] =
    whole < 1440
      ? [Math.floor(whole / 60), whole % 60, "hm"]
      : [Math.floor(whole / 1440), Math.floor((whole % 1440) / 60), "dh"];
  return small === 0 ? `${large}${names[0]}` : `${large}${names[0]} ${small}${names[1]}`;
}

export interface Waits {
  least: number;
  most: number;
}

/** The known waits of selected goroutines. */
export function waitsOf(selection: Selection, groups: Iterable<number>): Waits | undefined {
  let least = Infinity;
  let most = -1;
  for (const group of groups) {
    if (selection.mostWait[group] < 0) continue;
    least = Math.min(least, selection.leastWait[group]);
    most = Math.max(most, selection.mostWait[group]);
  }
  return most < 0 ? undefined : { least, most };
}

export function waitText(waits: Waits | undefined): string {
  if (waits === undefined || waits.most === 0) return "";
  if (waits.least === waits.most) return minutes(waits.most);
  return waits.least === 0 ? `up to ${minutes(waits.most)}` : `${minutes(waits.least)} to ${minutes(waits.most)}`;
}

/** `3 select, 2 wait`: the states of selected goroutines, most first. */
export function statesOf(dump: Dump, selection: Selection, groups: Iterable<number>): [string, number][] {
  const counts = new Map<number, number>();
  const { state } = dump.document.groups;
  for (const group of groups) {
    const count = selection.ofGroup[group];
    if (count !== 0) counts.set(state[group], (counts.get(state[group]) ?? 0) + count);
  }
  const named = [...counts].map(([state, count]): [string, number] => [dump.stateText(state), count]);
  return named.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

const IDS_A_LINE = 12;

/** A stack with some of its groups for a chat or an issue, in the shape that the browser tool copies. */
export function stackText(dump: Dump, selection: Selection, stack: number, groups: number[]): string {
  const lines = [`# ${dump.category(stack)} → ${dump.name(stack)}`];
  let input = "";
  for (const group of groups) {
    if (selection.ofGroup[group] === 0) continue;
    const name = dump.input(group).name;
    if (dump.inputs.length > 1 && name !== input) lines.push(`# ${name}`);
    input = name;
    lines.push(...groupLines(dump, selection, group));
  }
  lines.push("");
  for (const frame of dump.frames(stack)) lines.push(dump.func(frame), `\t${dump.place(frame)}`);
  return lines.join("\n") + "\n";
}

function groupLines(dump: Dump, selection: Selection, group: number): string[] {
  const labels = [...dump.flags(group), ...dump.labelTextsOf(group)];
  const byWait = new Map<number, string[]>();
  let listed = 0;
  for (let at = dump.firstGoroutine[group]; at < dump.firstGoroutine[group + 1]; at++) {
    if (selection.goroutines[at] === 0) continue;
    const wait = Number.isNaN(dump.waits[at]) ? 0 : dump.waits[at];
    const ids = byWait.get(wait);
    if (ids) ids.push(dump.fullId(at));
    else byWait.set(wait, [dump.fullId(at)]);
    listed++;
  }
  const lines: string[] = [];
  const facts = (wait: number) => [dump.state(group), ...(wait > 0 ? [minutes(wait)] : []), ...labels].join(", ");
  for (const [wait, ids] of [...byWait].sort((a, b) => a[0] - b[0])) {
    for (let at = 0; at < ids.length; at += IDS_A_LINE) {
      lines.push(`goroutine ${ids.slice(at, at + IDS_A_LINE).join(",")} [${facts(wait)}]:`);
    }
  }
  const counted = selection.ofGroup[group] - listed;
  if (counted > 0) lines.push(`${thousands(counted)} ${counted === 1 ? "goroutine" : "goroutines"} [${facts(0)}]:`);
  return lines;
}
