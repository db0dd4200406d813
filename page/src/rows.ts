import type { Dump } from "./dump";
import type { Selection } from "./filter";
import { waitsOf } from "./text";
import type { Order } from "./view";

/** A row of the list. Keys stay the same while rows come and go. */
export type Row =
  | { kind: "category"; key: string; level: 1; name: string; stacks: number[]; shown: number; of: number; open: boolean }
  | { kind: "stack"; key: string; level: 2; stack: number; shown: number; of: number; open: boolean }
  | { kind: "frames"; key: string; level: 3; stack: number }
  | { kind: "group"; key: string; level: 3; group: number; shown: number; of: number }
  | { kind: "goroutine"; key: string; level: 4; goroutine: number }
  | { kind: "more"; key: string; level: 4; group: number; left: number };

/** What is open, and what stays in sight whatever the filter says; keys of rows. */
export interface Opened {
  closedCategories: ReadonlySet<string>;
  stacks: ReadonlySet<number>;
  /** How many goroutines of a group are listed, where that was changed. */
  listed: ReadonlyMap<number, number>;
  /** By key; `true` with everything in it. */
  pins: ReadonlyMap<string, boolean>;
  /** Stacks that show which rules named them. */
  explained: ReadonlySet<number>;
  /** The goroutine that was gone to. */
  target: number | undefined;
}

const GOROUTINES_LISTED = 4;
export const MORE_LISTED = 200;

export function stackKey(dump: Dump, stack: number): string {
  return `s${dump.document.stacks.id[stack]}`;
}

/** The rows of all that is selected, pinned or gone to. */
export function rowsOf(dump: Dump, selection: Selection, opened: Opened, order: Order): Row[] {
  const rows: Row[] = [];
  for (const category of categories(dump, selection, opened, order)) {
    rows.push(category);
    if (!category.open) continue;
    for (const stack of category.stacks) {
      const open = opened.stacks.has(stack);
      const [shown, of] = [selection.ofStack[stack], dump.ofStack[stack]];
      rows.push({ kind: "stack", key: stackKey(dump, stack), level: 2, stack, shown, of, open });
      if (open) addInside(rows, dump, selection, opened, stack, dump.groupsOf(stack));
    }
  }
  return rows;
}

function categories(dump: Dump, selection: Selection, opened: Opened, order: Order) {
  const target = opened.target === undefined ? -1 : dump.stackOf(dump.groupOf[opened.target]);
  const holdsPin = new Set<number>();
  for (const key of opened.pins.keys()) {
    if (key.startsWith("g")) holdsPin.add(dump.stackOf(Number(key.slice(1))));
    else if (key.startsWith("r")) holdsPin.add(dump.stackOf(dump.groupOf[Number(key.slice(1))]));
  }
  const byName = new Map<string, Extract<Row, { kind: "category" }>>();
  for (let stack = 0; stack < dump.stackCount; stack++) {
    const name = dump.category(stack);
    let row = byName.get(name);
    if (row === undefined) {
      const open = !opened.closedCategories.has(name);
      row = { kind: "category", key: `c${name}`, level: 1, name, stacks: [], shown: 0, of: 0, open };
      byName.set(name, row);
    }
    row.of += dump.ofStack[stack];
    row.shown += selection.ofStack[stack];
    const pinned = opened.pins.has(stackKey(dump, stack)) || opened.pins.get(`c${name}`) === true || holdsPin.has(stack);
    if (selection.ofStack[stack] !== 0 || stack === target || pinned) row.stacks.push(stack);
  }
  const rows = [...byName.values()].filter((row) => row.stacks.length > 0 || opened.pins.has(row.key));
  if (order === "name") return rows;
  const size = new Map<number, number>();
  for (const stack of rows.flatMap((row) => row.stacks)) {
    const waits = order === "wait" ? waitsOf(selection, dump.groupsOf(stack)) : undefined;
    size.set(stack, order === "wait" ? (waits?.most ?? -1) : Math.abs(selection.ofStack[stack]));
  }
  const sizeOf = (row: (typeof rows)[number]) =>
    order === "wait" ? Math.max(...row.stacks.map((stack) => size.get(stack) ?? 0)) : Math.abs(row.shown);
  // Stable: equal ones stay sorted by name.
  for (const row of rows) row.stacks.sort((a, b) => (size.get(b) ?? 0) - (size.get(a) ?? 0));
  return rows.sort((a, b) => sizeOf(b) - sizeOf(a));
}

function addInside(rows: Row[], dump: Dump, selection: Selection, opened: Opened, stack: number, groups: number[]) {
  const key = stackKey(dump, stack);
  rows.push({ kind: "frames", key: `${key}f`, level: 3, stack });
  const target = opened.target;
  const isInside = opened.pins.get(key) === true || opened.pins.get(`c${dump.category(stack)}`) === true;
  const holdsPin = new Set<number>();
  for (const pin of opened.pins.keys()) if (pin.startsWith("r")) holdsPin.add(dump.groupOf[Number(pin.slice(1))]);
  for (const group of groups) {
    const holdsTarget = target !== undefined && dump.groupOf[target] === group;
    const shown = selection.ofGroup[group];
    const groupKey = `g${group}`;
    if (shown === 0 && !holdsTarget && !isInside && !opened.pins.has(groupKey) && !holdsPin.has(group)) continue;
    const allInside = isInside || opened.pins.get(groupKey) === true;
    rows.push({ kind: "group", key: groupKey, level: 3, group, shown, of: dump.document.groups.count[group] });
    const limit = opened.listed.get(group) ?? GOROUTINES_LISTED;
    let listed = 0;
    let left = 0;
    for (let at = dump.firstGoroutine[group]; at < dump.firstGoroutine[group + 1]; at++) {
      const rowKey = `r${at}`;
      const isPinned = at === target || opened.pins.has(rowKey);
      if (selection.goroutines[at] === 0 && !isPinned && !allInside) continue;
      if (listed < limit || isPinned) {
        rows.push({ kind: "goroutine", key: rowKey, level: 4, goroutine: at });
        listed++;
      } else left++;
    }
    if (left > 0) rows.push({ kind: "more", key: `m${group}`, level: 4, group, left });
  }
}
