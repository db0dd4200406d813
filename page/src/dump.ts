import type { Input, PageDocument, RuleText } from "./document";
import { amountText, changeText } from "./amount";
import { Ids, keyOf } from "./ids";

/** What became of a frame when its stack was named, and the rules that decided it; a category may be the beginning of a function, by no rule. */
export interface Why {
  step?: string;
  by: { verb: string; rule: RuleText | undefined }[];
}

/** Most have created nobody: no list is made for each. */
const NOBODY: number[] = [];

/** The columns of a page's document, decoded, with the ways from one to the other. */
export class Dump {
  readonly document: PageDocument;
  readonly strings: string[];
  /** As they are told apart: with their point where several have the same name. */
  readonly inputs: Input[];
  /** The names of the points in time that are compared; one where nothing is. */
  readonly points: string[];
  /** The point of each input. */
  readonly pointOf: number[];
  readonly stackCount: number;
  readonly groupCount: number;
  /** Where the groups of a stack start; those of the last one end at the last entry. */
  readonly firstGroup: Uint32Array;
  /** Where the goroutines of a group start. */
  readonly firstGoroutine: Uint32Array;
  /** The group of each goroutine. */
  readonly groupOf: Uint32Array;
  /** Minutes waited; NaN where that isn't known. */
  readonly waits: Float32Array;
  /** How many goroutines there are in each stack. */
  readonly ofStack: Float64Array;
  /** How many goroutines there are in all, those that are only counted among them; of several points those of the last. */
  readonly total: number;
  private readonly labelTexts = new Map<number, string[]>();
  private readonly ids: Float64Array;
  /** One more than the id of the creator; 0 where it isn't known. */
  private readonly creators: Float64Array;
  private readonly largeIds: Map<number, string>;
  private readonly largeCreators: Map<number, string>;
  private byStackId: Map<string, number> | undefined;
  private byId: Ids | undefined;
  private byCreator: { first: Uint32Array; created: Uint32Array } | undefined;

  constructor(document: PageDocument) {
    this.document = document;
    const { strings, inputs, stacks, groups, goroutines } = document;
    this.strings = strings;
    this.points = document.points;
    this.pointOf = inputs.map(({ point }) => (point === undefined ? 0 : this.points.indexOf(point)));
    const names = new Set(inputs.map(({ name }) => name));
    const isUnique = names.size === inputs.length;
    this.inputs = isUnique ? inputs : inputs.map((input) => ({ ...input, name: `${input.point}/${input.name}` }));
    this.stackCount = stacks.id.length;
    this.groupCount = groups.stack.length;
    this.ofStack = new Float64Array(this.stackCount);
    this.firstGroup = starts(this.stackCount, groups.stack);
    const listed = goroutines.wait.length;
    this.firstGoroutine = new Uint32Array(this.groupCount + 1);
    this.groupOf = new Uint32Array(listed);
    this.ids = new Float64Array(listed);
    this.creators = new Float64Array(listed);
    this.waits = new Float32Array(listed);
    let at = 0;
    let total = 0;
    for (let group = 0; group < this.groupCount; group++) {
      this.firstGoroutine[group] = at;
      let id = 0;
      let creator = 0;
      for (let left = groups.listed[group]; left > 0; left--, at++) {
        this.groupOf[at] = group;
        this.ids[at] = id += goroutines.id[at];
        this.creators[at] = creator += goroutines.creator[at];
        this.waits[at] = goroutines.wait[at] ?? NaN;
      }
      if (this.isNow(group)) total += groups.count[group];
      this.ofStack[groups.stack[group]] += groups.count[group];
    }
    this.firstGoroutine[this.groupCount] = at;
    this.total = total;
    this.largeIds = byPosition(goroutines.large_id);
    this.largeCreators = byPosition(goroutines.large_creator);
  }

  /** The same with the values of another sample type. */
  ofValue(type: string): Dump {
    const values = this.document.values?.find((one) => one.type === type);
    if (values === undefined) return this;
    const value = { type: values.type, unit: values.unit };
    return new Dump({ ...this.document, value, groups: { ...this.document.groups, count: values.by_group } });
  }

  /** A number of what is counted, in its unit. */
  amount(count: number): string {
    return amountText(count, this.document.value?.unit);
  }

  /** `16 of 1,404`, or `1,404` where nothing is left out. */
  ofAll(shown: number, all: number): string {
    return shown === all ? this.amount(all) : `${this.amount(shown)} of ${this.amount(all)}`;
  }

  /** `+28`, `-1.50MB`, `0` */
  change(by: number): string {
    return changeText(by, this.document.value?.unit);
  }

  /** How much of these groups there is at each point, after a filter. */
  atPoints(ofGroup: Float64Array, groups: Iterable<number>): number[] {
    const counts = this.points.map(() => 0);
    for (const group of groups) counts[this.pointOf[this.document.groups.input[group]]] += ofGroup[group];
    return counts;
  }

  /** Whether a group is of the last point, which numbers are of that stand alone. */
  isNow(group: number): boolean {
    return this.pointOf[this.document.groups.input[group]] === this.points.length - 1;
  }

  /** The input that documents of the last point call so. */
  inputNamed(name: string): number {
    return this.document.inputs.findLastIndex((input) => input.name === name);
  }

  /** The position of a stack of this id. */
  stackOfId(id: string): number | undefined {
    this.byStackId ??= new Map(this.document.stacks.id.map((id, stack) => [id, stack]));
    return this.byStackId.get(id);
  }

  name(stack: number): string {
    return this.strings[this.document.stacks.name[stack]];
  }

  category(stack: number): string {
    return this.strings[this.document.stacks.category[stack]];
  }

  frames(stack: number): number[] {
    return this.document.stacks.frames[stack];
  }

  /** What the rules made of each frame of a stack, leaf first, as far as they looked at it. */
  why(stack: number): Why[] {
    const { rules, roles, frames, trims, category } = this.document.naming;
    const [told, picked] = category[stack];
    const why: Why[] = frames[stack].map((role) => {
      if (role < 0) return { by: [] };
      const [step, rule] = roles[role];
      const trimmed = step === "take" ? trims[stack].map((trim) => ({ verb: "trimmed by", rule: rules[trim] })) : [];
      return { step, by: rule < 0 ? trimmed : [{ verb: "by", rule: rules[rule] }, ...trimmed] };
    });
    if (told >= 0) {
      while (why.length <= told) why.push({ by: [] });
      why[told].by.push({ verb: "tells the category by", rule: picked < 0 ? undefined : rules[picked] });
    }
    return why;
  }

  func(frame: number): string {
    return this.strings[this.document.frames.func[frame]];
  }

  /** `file:line`; empty for frames without a place. */
  place(frame: number): string {
    const { file, line } = this.document.frames;
    const name = this.strings[file[frame]];
    return name === "" && line[frame] === 0 ? "" : `${name}:${line[frame]}`;
  }

  /** The module of a frame with its version, and where its line is to be read, as far as they are known. */
  origin(frame: number): { module?: string; source?: string } {
    const { module, source } = this.document.frames;
    return { module: this.strings[module[frame]], source: this.strings[source[frame]] };
  }

  file(frame: number): string {
    return this.strings[this.document.frames.file[frame]];
  }

  stackOf(group: number): number {
    return this.document.groups.stack[group];
  }

  input(group: number): Input {
    return this.inputs[this.document.groups.input[group]];
  }

  state(group: number): string {
    return this.stateText(this.document.groups.state[group]);
  }

  /** The text of a position in the column of states. */
  stateText(state: number): string {
    return state < 0 ? "unknown" : this.strings[state];
  }

  hasState(group: number): boolean {
    return this.document.groups.state[group] >= 0;
  }

  kind(group: number): string {
    return this.strings[this.document.groups.kind[group]];
  }

  flags(group: number): string[] {
    return this.document.flags[this.document.groups.flags[group]].map((flag) => this.strings[flag]);
  }

  /** Labels of the goroutines themselves, then those of the input's path that they don't replace. */
  labels(group: number): [key: string, value: string][] {
    const row = this.document.labels[this.document.groups.labels[group]];
    const labels: [string, string][] = [];
    for (let at = 0; at + 1 < row.length; at += 2) labels.push([this.strings[row[at]], this.strings[row[at + 1]]]);
    const own = new Set(labels.map(([key]) => key));
    for (const [key, value] of Object.entries(this.input(group).labels)) {
      if (own.has(key)) continue;
      for (const one of Array.isArray(value) ? value : [value]) labels.push([key, one]);
    }
    return labels;
  }

  /** A number that is the same for groups with the same labels. */
  labelKey(group: number): number {
    const { labels, input } = this.document.groups;
    return labels[group] * this.inputs.length + input[group];
  }

  /** The same as `key=value`, made once for each set of labels of an input. */
  labelTextsOf(group: number): string[] {
    const key = this.labelKey(group);
    let texts = this.labelTexts.get(key);
    if (texts === undefined) {
      texts = this.labels(group).map(([key, value]) => `${key}=${value}`);
      this.labelTexts.set(key, texts);
    }
    return texts;
  }

  creatorFrame(group: number): number | undefined {
    const frame = this.document.groups.creator[group];
    return frame < 0 ? undefined : frame;
  }

  groupsOf(stack: number): number[] {
    return range(this.firstGroup[stack], this.firstGroup[stack + 1]);
  }

  /** The id as Go prints it. */
  id(goroutine: number): string {
    return this.largeIds.get(goroutine) ?? String(this.ids[goroutine]);
  }

  /** Whether these digits stand somewhere in the id: without making a text of each, which takes longest of all. */
  idHas(goroutine: number, digits: string): boolean {
    const large = this.largeIds.size === 0 ? undefined : this.largeIds.get(goroutine);
    if (large !== undefined || digits.length > 15) return this.id(goroutine).includes(digits);
    const power = 10 ** digits.length;
    const wanted = Number(digits);
    // A digit that isn't 0 has to stand in front of those that are.
    const least = digits.startsWith("0") && digits !== "0" ? power : power / 10;
    for (let id = this.ids[goroutine]; id >= least; id = Math.floor(id / 10)) if (id % power === wanted) return true;
    return digits === "0" && this.ids[goroutine] === 0;
  }

  /** The id as it is told apart from those of other inputs. */
  fullId(goroutine: number): string {
    const id = this.id(goroutine);
    return this.inputs.length > 1 ? `${this.input(this.groupOf[goroutine]).name}.${id}` : id;
  }

  /** The id of the goroutine that created this one. */
  creatorId(goroutine: number): string | undefined {
    const large = this.largeCreators.get(goroutine);
    if (large !== undefined) return large;
    return this.creators[goroutine] === 0 ? undefined : String(this.creators[goroutine] - 1);
  }

  find(input: number, id: string): number | undefined {
    return this.idsOfAll().find(input, keyOf(id));
  }

  /** Finds what [`fullId`] prints, and an id alone wherever it is first. */
  findFull(text: string): number | undefined {
    const dot = text.lastIndexOf(".");
    const id = text.slice(dot + 1);
    if (dot >= 0) {
      const input = this.inputs.findIndex((one) => one.name === text.slice(0, dot));
      return input < 0 ? undefined : this.find(input, id);
    }
    for (let input = 0; input < this.inputs.length; input++) {
      const found = this.find(input, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  creatorOf(goroutine: number): number | undefined {
    const creator = this.largeCreators.get(goroutine) ?? this.creators[goroutine] - 1;
    if (creator === -1) return undefined;
    return this.idsOfAll().find(this.inputOf(goroutine), creator);
  }

  /** Of an id that stands twice the first has created all. */
  createdBy(goroutine: number): number[] {
    const { first, created } = (this.byCreator ??= this.created());
    const [from, to] = [first[goroutine], first[goroutine + 1]];
    return from === to ? NOBODY : [...created.subarray(from, to)];
  }

  private idsOfAll(): Ids {
    return (this.byId ??= new Ids(this.ids, this.largeIds, (at) => this.inputOf(at)));
  }

  private inputOf(goroutine: number): number {
    return this.document.groups.input[this.groupOf[goroutine]];
  }

  /** Goroutines in the order of their creators, and where those of each start. */
  private created(): { first: Uint32Array; created: Uint32Array } {
    const many = this.groupOf.length;
    const creators = new Int32Array(many);
    const first = new Uint32Array(many + 2);
    for (let at = 0; at < many; at++) {
      creators[at] = this.creatorOf(at) ?? -1;
      if (creators[at] >= 0) first[creators[at] + 2]++;
    }
    for (let at = 1; at < first.length; at++) first[at] += first[at - 1];
    // Filling moves each start to its end, where the next one starts.
    const created = new Uint32Array(first[many + 1]);
    for (let at = 0; at < many; at++) if (creators[at] >= 0) created[first[creators[at] + 1]++] = at;
    return { first, created };
  }
}

function byPosition(large: Record<string, string>): Map<number, string> {
  return new Map(Object.entries(large).map(([at, id]) => [Number(at), id]));
}

/** Where the runs of 0, 1, 2, ... start in a sorted column. */
function starts(count: number, column: number[]): Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (const value of column) starts[value + 1]++;
  for (let at = 0; at < count; at++) starts[at + 1] += starts[at];
  return starts;
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}
