import type { Dump } from "./dump";
import type { Query } from "./query";

export const FIELDS = ["function", "file", "creator", "name", "category", "label", "flag"] as const;
export type Field = (typeof FIELDS)[number];

/** A condition on one field: that its text holds this one, whatever the case, or that it doesn't. */
export interface Condition {
  field: Field;
  text: string;
  not: boolean;
}

/** What is to be shown; all of it must hold. Empty sets let everything pass. */
export interface Filter {
  query: Query;
  conditions: Condition[];
  hiddenInputs: ReadonlySet<number>;
  states: ReadonlySet<string>;
  kinds: ReadonlySet<string>;
  /** `key=value`; of one key any value will do. */
  labels: ReadonlySet<string>;
}

/** What passes a filter. */
export class Selection {
  /** Of several points what is selected of the last. */
  total = 0;
  /** Of those how many a filter of waits leaves out because nobody knows how long they have waited. */
  unknownWaits = 0;
  readonly ofGroup: Float64Array;
  readonly ofStack: Float64Array;
  /** The same of the last point alone. */
  readonly nowOfStack: Float64Array;
  /** The listed goroutines that pass. */
  readonly goroutines: Uint8Array;
  /** The shortest and the longest known wait of each group; -1 where none is known. */
  readonly leastWait: Float32Array;
  readonly mostWait: Float32Array;

  constructor(dump: Dump) {
    this.ofGroup = new Float64Array(dump.groupCount);
    this.ofStack = new Float64Array(dump.stackCount);
    this.nowOfStack = new Float64Array(dump.stackCount);
    this.goroutines = new Uint8Array(dump.groupOf.length);
    this.leastWait = new Float32Array(dump.groupCount).fill(-1);
    this.mostWait = new Float32Array(dump.groupCount).fill(-1);
  }
}

/** In lower case as `stackgazer` does it: each character by itself. */
export function lower(text: string): string {
  return text.includes("Σ") ? text.replaceAll("Σ", "σ").toLowerCase() : text.toLowerCase();
}

/** Says what passes: unique stacks are asked first, then groups, and goroutines only where they differ. */
export function select(dump: Dump, filter: Filter): Selection {
  const selection = new Selection(dump);
  const needle = new Needle(dump, lower(filter.query.text));
  const conditions = filter.conditions.map((condition) => holds(dump, condition));
  const byLabel = labelChoices(filter.labels);
  const { min, max } = filter.query;
  const hasWait = min !== undefined || max !== undefined;
  const least = Math.fround(min ?? -Infinity);
  const most = Math.fround(max ?? Infinity);
  const { stack: stacks, input: inputs, count: counts, listed } = dump.document.groups;
  for (let group = 0; group < dump.groupCount; group++) {
    const stack = stacks[group];
    if (filter.hiddenInputs.has(inputs[group])) continue;
    if (filter.states.size > 0 && !filter.states.has(dump.state(group))) continue;
    if (filter.kinds.size > 0 && !filter.kinds.has(dump.kind(group))) continue;
    if (!conditions.every((condition) => condition(group))) continue;
    if (byLabel.size > 0 && !hasLabels(dump, group, byLabel)) continue;
    const whole = needle.isEmpty || needle.isInStack(stack) || needle.isInLabels(group);
    let passed = 0;
    let unknown = 0;
    let shortest = Infinity;
    let longest = -1;
    const inIds = whole ? undefined : needle.inIds(inputs[group]);
    if (inIds !== null) {
      for (let at = dump.firstGoroutine[group]; at < dump.firstGoroutine[group + 1]; at++) {
        const wait = dump.waits[at];
        if (hasWait && (wait < least || wait > most)) continue;
        if (inIds !== undefined && !inIds(at)) continue;
        if (hasWait && Number.isNaN(wait)) {
          unknown++;
          continue;
        }
        selection.goroutines[at] = 1;
        passed++;
        if (wait < shortest) shortest = wait;
        if (wait > longest) longest = wait;
      }
    }
    if (longest >= 0) {
      selection.leastWait[group] = shortest;
      selection.mostWait[group] = longest;
    }
    // Of those that are only counted neither ids nor waits are known.
    if (whole) {
      if (hasWait) unknown += counts[group] - listed[group];
      else passed += counts[group] - listed[group];
    }
    selection.ofGroup[group] = passed;
    selection.ofStack[stack] += passed;
    if (!dump.isNow(group)) continue;
    selection.nowOfStack[stack] += passed;
    selection.total += passed;
    selection.unknownWaits += unknown;
  }
  return selection;
}

/** The text that is searched for, with what was found so far. */
class Needle {
  readonly isEmpty: boolean;
  private readonly frames: Int8Array;
  private readonly stacks: Int8Array;
  private readonly labelSets = new Map<number, boolean>();
  private readonly ids = new Map<number, ((goroutine: number) => boolean) | null>();

  constructor(
    private readonly dump: Dump,
    private readonly text: string,
  ) {
    this.isEmpty = text === "";
    this.frames = new Int8Array(dump.document.frames.line.length).fill(-1);
    this.stacks = new Int8Array(dump.stackCount).fill(-1);
  }

  isInStack(stack: number): boolean {
    if (this.stacks[stack] < 0) {
      this.stacks[stack] = Number(this.dump.frames(stack).some((frame) => this.isInFrame(frame)));
    }
    return this.stacks[stack] === 1;
  }

  private isInFrame(frame: number): boolean {
    if (this.frames[frame] < 0) {
      const place = this.dump.place(frame);
      const text = place === "" ? this.dump.func(frame) : `${this.dump.func(frame)} ${place}`;
      this.frames[frame] = Number(lower(text).includes(this.text));
    }
    return this.frames[frame] === 1;
  }

  isInLabels(group: number): boolean {
    const { state, flags, labels, input } = this.dump.document.groups;
    // One number for the four of them: tables are small, and texts would take longer than the search.
    const { document, inputs } = this.dump;
    const ofState = (state[group] + 1) * document.flags.length + flags[group];
    const key = (ofState * document.labels.length + labels[group]) * inputs.length + input[group];
    let known = this.labelSets.get(key);
    if (known === undefined) {
      const states = this.dump.hasState(group) ? [`state=${this.dump.state(group)}`] : [];
      const texts = [...states, ...this.dump.flags(group), ...this.dump.labelTextsOf(group)];
      known = texts.some((text) => lower(text).includes(this.text));
      this.labelSets.set(key, known);
    }
    return known;
  }

  /** Asks single ids of an input: `undefined` where all of them hold it, `null` where none can. */
  inIds(input: number): ((goroutine: number) => boolean) | null | undefined {
    const known = this.ids.get(input);
    if (known !== undefined) return known;
    const prefix = this.dump.inputs.length > 1 ? lower(`${this.dump.inputs[input].name}.`) : "";
    if (prefix.includes(this.text)) return undefined;
    const digits = /\d*$/.exec(this.text)?.[0] ?? "";
    const head = this.text.slice(0, this.text.length - digits.length);
    let ask: ((goroutine: number) => boolean) | null = null;
    if (digits !== "" && head === "") ask = (goroutine) => this.dump.idHas(goroutine, digits);
    else if (digits !== "" && prefix.endsWith(head)) ask = (goroutine) => this.dump.id(goroutine).startsWith(digits);
    this.ids.set(input, ask);
    return ask;
  }
}

/** A condition as a question to groups; stacks and creators are asked once. */
function holds(dump: Dump, { field, text, not }: Condition): (group: number) => boolean {
  const needle = lower(text);
  const found = (text: string) => lower(text).includes(needle);
  const once = (of: (group: number) => number, ask: (thing: number) => boolean) => {
    const known = new Map<number, boolean>();
    return (group: number) => {
      const thing = of(group);
      let answer = known.get(thing);
      if (answer === undefined) known.set(thing, (answer = ask(thing)));
      return answer;
    };
  };
  const byStack = (ask: (stack: number) => boolean) => once((group) => dump.stackOf(group), ask);
  const ask: Record<Field, () => (group: number) => boolean> = {
    function: () => byStack((stack) => dump.frames(stack).some((frame) => found(dump.func(frame)))),
    file: () => byStack((stack) => dump.frames(stack).some((frame) => found(dump.place(frame)))),
    name: () => byStack((stack) => found(dump.name(stack))),
    category: () => byStack((stack) => found(dump.category(stack))),
    creator: () =>
      once(
        (group) => dump.creatorFrame(group) ?? -1,
        (frame) => frame >= 0 && found(dump.func(frame)),
      ),
    label: () => (group) => dump.labelTextsOf(group).some(found),
    flag: () => (group) => dump.flags(group).some(found),
  };
  const positive = ask[field]();
  return not ? (group) => !positive(group) : positive;
}

function labelChoices(labels: ReadonlySet<string>): Map<string, Set<string>> {
  const byKey = new Map<string, Set<string>>();
  for (const label of labels) {
    const key = label.slice(0, label.indexOf("="));
    byKey.set(key, (byKey.get(key) ?? new Set()).add(label));
  }
  return byKey;
}

function hasLabels(dump: Dump, group: number, byKey: Map<string, Set<string>>): boolean {
  const own = dump.labelTextsOf(group);
  return [...byKey.values()].every((wanted) => own.some((label) => wanted.has(label)));
}
