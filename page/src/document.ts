/** What stands in the page: `stackgazer.page/1` and, behind it, the documents of other commands. See README.md. */

export interface Warning {
  kind: string;
  line?: number;
  text: string;
  more?: number;
}

export interface Input {
  name: string;
  path: string;
  format: string;
  /** The point in time that it is of, where several are compared. */
  point?: string;
  labels: Record<string, string | string[]>;
  goroutines: number;
  announced?: number;
  complete: boolean;
  warnings: Warning[];
}

export interface Problem {
  path: string;
  text: string;
  more?: number;
}

export interface VerdictLine {
  label: string;
  tone: "plain" | "strong" | "faint" | "name" | "notice" | "alarm";
  text: string;
  code?: boolean;
  stacks?: number[];
  goroutines?: [input: number, id: string][];
}

/** A rule: `name.skip`, as TOML has it, and where it was written. */
export interface RuleText {
  list: string;
  rule: string;
  from: string;
}

export interface PageDocument {
  schema: string;
  version: string;
  title: string;
  /** The view that the page opens at. */
  opens: "stacks" | "summary" | "changes" | "findings";
  /** The names of the points in time; one where nothing is compared. */
  points: string[];
  inputs: Input[];
  failed?: Problem[];
  archive_warnings?: Problem[];
  skipped_members?: number;
  value?: ValueType;
  values?: (ValueType & { by_group: number[] })[];
  verdict: VerdictLine[];
  strings: string[];
  /** `module` and `source` are -1 where they aren't known. */
  frames: { func: number[]; file: number[]; line: number[]; module: number[]; source: number[] };
  labels: number[][];
  flags: number[][];
  stacks: {
    id: string[];
    shape: string[];
    name: number[];
    category: number[];
    frames: number[][];
    elided: Record<string, number | null>;
  };
  naming: {
    rules: RuleText[];
    roles: [step: string, rule: number][];
    frames: number[][];
    trims: number[][];
    category: [frame: number, rule: number][];
  };
  groups: {
    stack: number[];
    input: number[];
    state: number[];
    kind: number[];
    flags: number[];
    labels: number[];
    creator: number[];
    count: number[];
    listed: number[];
  };
  goroutines: {
    id: number[];
    creator: number[];
    wait: (number | null)[];
    large_id: Record<string, string>;
    large_creator: Record<string, string>;
  };
}

export interface ValueType {
  type: string;
  unit: string;
}

/** A function and its place. */
export interface Place {
  func: string;
  file: string;
  line: number;
  module?: string;
  source?: string;
}

export interface Finding {
  check: string;
  level: "error" | "warning" | "note";
  category?: string;
  name?: string;
  shape?: string;
  found: number;
  counts: number[];
  processes: { name: string; count: number }[];
  frames: Place[];
  created_by?: Place;
  text: string;
  suppressed?: { source: string; reason: string };
}

export interface CheckDocument {
  verdict: "pass" | "fail";
  fail_on: string;
  points: string[];
  blind: string[];
  unproven: string[];
  suppressed_built_in: number;
  findings?: Finding[];
  /** What the built-in catalogue took out, where that was asked for. */
  built_in?: Finding[];
}

/** A row has a field named after each key beside these. */
export interface SummaryRow {
  [key: string]: unknown;
  total: number;
  stacks: number;
  states: Record<string, number>;
  wait_minutes: { min: number; max: number } | null;
  top_stack: { name: string; total: number } | null;
  flat?: number;
  cum?: number;
  by_input?: number[];
}

export interface SummaryDocument {
  by: string[];
  total: number;
  whole?: number;
  left_out: number;
  rows: SummaryRow[];
}

export type Status = "new" | "gone" | "grown" | "shrunk" | "same";

export interface Tally {
  rows: number;
  change: number;
}

export interface DiffRow {
  [key: string]: unknown;
  category: string;
  name: string;
  stack: string;
  shape: string;
  status: Status;
  small?: boolean;
  counts: number[];
  flat?: number[];
  change: number;
  percent: number | null;
  trend?: { slope: number };
}

export interface DiffDocument {
  by: string[];
  points: string[];
  totals: number[];
  change: number;
  percent: number | null;
  statuses: Record<Status, Tally>;
  small: Tally;
  persist: number | null;
  notes: string[];
  left_out: number;
  rows: DiffRow[];
}

export interface Holder {
  id: string | null;
  function: Place;
  state: string | null;
  wait_minutes: number | null;
  stack: string;
  evidence: "by address" | "by shape";
  waits_in: number | null;
}

/** Goroutines that wait for one thing. */
export interface Pile {
  pile: number;
  input: string;
  lock: string | null;
  owner: string | null;
  kind: string;
  function: Place;
  waiting: number;
  total: number;
  first: string | null;
  stacks: string[];
  longest_minutes: number | null;
  holders: Holder[];
  more_holders: number;
  text?: string;
}

export interface WaitsDocument {
  piles: Pile[];
  cycles: { input: string; certain: boolean; text: string; members: { id: string; pile: number }[] }[];
  locked_twice: { input: string; id: string; text: string }[];
  starters: { input: string; id: string; pile: number; text: string }[];
}

export interface Documents {
  page: PageDocument;
  waits: WaitsDocument;
  check?: CheckDocument;
  summary?: SummaryDocument;
  diff?: DiffDocument;
}

/**
 * Unpacks base64 of gzipped JSON; the browser does both steps outside of scripts. Not in a worker: to clone what was parsed
 * takes twice as long as to parse it, and the policy would have to allow scripts from blobs.
 */
export async function unpack(base64: string): Promise<Documents> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  // A tenth of what `Uint8Array.from` takes, which calls a function for each byte.
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Documents;
}
