/** What stands in the page: `stackgazer.page/1` and, behind it, `stackgazer.check/1`. See README.md. */

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
  inputs: Input[];
  failed?: Problem[];
  archive_warnings?: Problem[];
  skipped_members?: number;
  value?: { type: string; unit: string };
  verdict: VerdictLine[];
  strings: string[];
  frames: { func: number[]; file: number[]; line: number[] };
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

export interface Finding {
  check: string;
  level: "error" | "warning" | "note";
  category?: string;
  name?: string;
  shape?: string;
  found: number;
  text: string;
  suppressed?: { source: string; reason: string };
}

export interface CheckDocument {
  verdict: "pass" | "fail";
  blind: string[];
  findings?: Finding[];
}

export interface Documents {
  page: PageDocument;
  check?: CheckDocument;
}

/** Unpacks base64 of gzipped JSON; the browser does both steps outside of scripts. */
export async function unpack(base64: string): Promise<Documents> {
  const binary = atob(base64);
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Documents;
}
