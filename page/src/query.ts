/**
 * The grammar of the search box, that of `stackgazer filter --query`: at most one word, and `wait:`
 * terms at any place (`wait:>5`, `wait:<10`, `wait:5+`, `wait:4-9`, `wait:7`). It takes waits for
 * whole minutes: `>5` means 6 or more.
 */
export interface Query {
  text: string;
  min?: number;
  max?: number;
}

export type Parsed = { query: Query; error?: undefined } | { query?: undefined; error: string };

const EXACT_AND_MORE = "Exact wait time cannot be combined with other wait constraints";

class Refused extends Error {}

export function parseQuery(text: string): Parsed {
  try {
    return { query: parse(text) };
  } catch (error) {
    if (error instanceof Refused) return { error: error.message };
    throw error;
  }
}

function parse(text: string): Query {
  const found: Query = { text: "" };
  let exact = false;
  const hasWait = () => found.min !== undefined || found.max !== undefined;
  for (const term of text.split(" ").map((part) => part.trim())) {
    if (term === "") continue;
    if (!term.startsWith("wait:")) {
      if (found.text !== "") throw new Refused("Only one search term allowed (plus wait: filters)");
      found.text = term;
      continue;
    }
    const spec = term.slice("wait:".length);
    const number = (part: string): number => {
      if (!/^\d*(\.\d+)?$/.test(part) || part === "") throw new Refused(`Invalid wait filter: ${term}`);
      return Number(part);
    };
    const again = (end: string, example: string) =>
      new Refused(`Multiple ${end} wait constraints not allowed (e.g., ${example})`);
    if (spec.startsWith(">") || (spec.endsWith("+") && !spec.startsWith("<"))) {
      if (exact) throw new Refused(EXACT_AND_MORE);
      if (found.min !== undefined) throw again("minimum", `${spec.startsWith(">") ? "wait:>5" : "wait:5+"} wait:>10`);
      found.min = spec.startsWith(">") ? number(spec.slice(1)) + 1 : number(spec.slice(0, -1));
    } else if (spec.startsWith("<")) {
      if (exact) throw new Refused(EXACT_AND_MORE);
      if (found.max !== undefined) throw again("maximum", "wait:<5 wait:<10");
      found.max = number(spec.slice(1)) - 1;
    } else if (spec.includes("-")) {
      if (exact) throw new Refused(EXACT_AND_MORE);
      if (hasWait()) throw new Refused("Range wait constraint cannot be combined with other wait constraints");
      const parts = spec.split("-");
      if (parts.length > 2) throw new Refused(`Invalid range format: ${term} (use wait:min-max)`);
      const [min, max] = parts.map(number);
      if (min > max) throw new Refused(`Invalid range: minimum (${min}) cannot be greater than maximum (${max})`);
      found.min = min;
      found.max = max;
    } else {
      if (exact) throw again("exact", "wait:5 wait:10");
      if (hasWait()) throw new Refused(EXACT_AND_MORE);
      found.min = found.max = number(spec);
      exact = true;
    }
  }
  if (found.max !== undefined && found.max < 0) throw new Refused("Maximum wait time cannot be negative");
  if (found.min !== undefined && found.max !== undefined && found.min > found.max) {
    throw new Refused("Minimum wait time cannot be greater than maximum");
  }
  return found;
}
