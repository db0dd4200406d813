import { FIELDS, type Condition, type Field, type Filter } from "./filter";
import type { Dump } from "./dump";
import { parseQuery } from "./query";

export const MODES = ["combined", "columns", "functions", "places"] as const;
export type Mode = (typeof MODES)[number];

/** What can be looked at, in the order in which it is offered. */
export const SHEETS = [
  "changes",
  "summary",
  "stacks",
  "findings",
  "functions",
  "flame",
  "waits",
  "locks",
  "inputs",
  "tree",
  "reading",
] as const;
export type Sheet = (typeof SHEETS)[number];

export const ORDERS = ["count", "name", "wait"] as const;
export type Order = (typeof ORDERS)[number];

/** Everything that the address holds: who opens it sees the same. */
export interface View {
  /** As it was typed; what can't be understood leaves the filter as it was. */
  query: string;
  conditions: Condition[];
  hiddenInputs: ReadonlySet<number>;
  states: ReadonlySet<string>;
  kinds: ReadonlySet<string>;
  labels: ReadonlySet<string>;
  sheet: Sheet;
  mode: Mode;
  order: Order;
  /** The goroutine that was gone to, as [`Dump.fullId`] prints it. */
  goroutine: string | undefined;
  /** The function whose callers and callees are shown. */
  func: string | undefined;
  /** The sample type that counts are of, where that isn't the one the page was written with. */
  value: string | undefined;
}

/** What is changed to show everything again. */
export const UNFILTERED = {
  query: "",
  conditions: [],
  hiddenInputs: new Set(),
  states: new Set(),
  kinds: new Set(),
  labels: new Set(),
} satisfies Partial<View>;

const START: View = {
  ...UNFILTERED,
  sheet: "stacks",
  mode: "combined",
  order: "count",
  goroutine: undefined,
  func: undefined,
  value: undefined,
};

/** What a page shows to who opens it without a view in the address. */
export function startOf(dump: Dump): View {
  return { ...START, sheet: dump.document.opens };
}

export function filterOf(view: View, last: Filter | undefined): { filter: Filter; error: string | undefined } {
  const parsed = parseQuery(view.query);
  const { conditions, hiddenInputs, states, kinds, labels } = view;
  const query = parsed.query ?? last?.query ?? { text: "" };
  return { filter: { query, conditions, hiddenInputs, states, kinds, labels }, error: parsed.error };
}

export function isFiltered(view: View): boolean {
  return (
    view.query.trim() !== "" ||
    view.conditions.length + view.hiddenInputs.size + view.states.size + view.kinds.size + view.labels.size > 0
  );
}

/** `#g-17&q=flush&state=select&hide=n2&where=!file:vendor` */
export function toFragment(view: View, dump: Dump): string {
  const parts: string[] = [];
  const add = (key: string, value: string) => parts.push(`${key}=${encodeURIComponent(value)}`);
  if (view.goroutine !== undefined) parts.push(`g-${encodeURIComponent(view.goroutine)}`);
  if (view.query.trim() !== "") add("q", view.query);
  for (const { field, text, not } of view.conditions) add("where", `${not ? "!" : ""}${field}:${text}`);
  for (const input of view.hiddenInputs) add("hide", dump.inputs[input].name);
  for (const state of view.states) add("state", state);
  for (const kind of view.kinds) add("kind", kind);
  for (const label of view.labels) add("label", label);
  if (view.func !== undefined) add("function", view.func);
  if (view.value !== undefined) add("value", view.value);
  if (view.sheet !== dump.document.opens) add("view", view.sheet);
  if (view.mode !== START.mode) add("frames", view.mode);
  if (view.order !== START.order) add("sort", view.order);
  return parts.length === 0 ? "" : `#${parts.join("&")}`;
}

export function fromFragment(fragment: string, dump: Dump): View {
  const hidden = new Set<number>();
  const conditions: Condition[] = [];
  const sets = { state: new Set<string>(), kind: new Set<string>(), label: new Set<string>() };
  const view: View = { ...startOf(dump), conditions, hiddenInputs: hidden, states: sets.state, kinds: sets.kind, labels: sets.label };
  for (const part of fragment.replace(/^#/, "").split("&")) {
    if (part.startsWith("g-")) {
      view.goroutine = decoded(part.slice(2));
      continue;
    }
    const [key, raw] = split(part, "=");
    const value = decoded(raw);
    if (key === "q") view.query = value;
    else if (key === "where") {
      const [field, text] = split(value.replace(/^!/, ""), ":");
      if (isOneOf(FIELDS, field)) conditions.push({ field: field as Field, text, not: value.startsWith("!") });
    } else if (key === "hide") {
      const input = dump.inputs.findIndex((one) => one.name === value);
      if (input >= 0) hidden.add(input);
    } else if (key === "state" || key === "kind" || key === "label") sets[key].add(value);
    else if (key === "function") view.func = value;
    else if (key === "value" && dump.document.values?.some((one) => one.type === value)) view.value = value;
    else if (key === "view" && isOneOf(SHEETS, value)) view.sheet = value;
    else if (key === "frames" && isOneOf(MODES, value)) view.mode = value;
    else if (key === "sort" && isOneOf(ORDERS, value)) view.order = value;
  }
  return view;
}

function isOneOf<T extends string>(list: readonly T[], text: string): text is T {
  return (list as readonly string[]).includes(text);
}

function split(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
