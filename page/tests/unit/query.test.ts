import { expect, test } from "vitest";
import { parseQuery } from "../../src/query";

test("text and waits in any order", () => {
  const cases: [string, string, number | undefined, number | undefined][] = [
    ["", "", undefined, undefined],
    ["  abc  ", "abc", undefined, undefined],
    ["flush wait:>5", "flush", 6, undefined],
    ["wait:>1 disk wait:<30", "disk", 2, 29],
    ["wait:5+", "", 5, undefined],
    ["wait:4-9", "", 4, 9],
    ["wait:7", "", 7, 7],
    ["wait:>2.5", "", 3.5, undefined],
    ["wait:.5", "", 0.5, 0.5],
    ["Wait:5", "Wait:5", undefined, undefined],
    ["state:select", "state:select", undefined, undefined],
  ];
  for (const [text, word, min, max] of cases) {
    expect(parseQuery(text).query, text).toMatchObject({ text: word });
    expect([parseQuery(text).query?.min, parseQuery(text).query?.max], text).toEqual([min, max]);
  }
});

test("what is refused is refused in the words of the command line", () => {
  const cases: [string, string][] = [
    ["flush disk", "Only one search term allowed (plus wait: filters)"],
    ["wait:", "Invalid wait filter: wait:"],
    ["wait:5.", "Invalid wait filter: wait:5."],
    ["wait:-5", "Invalid wait filter: wait:-5"],
    ["wait:1-2-3", "Invalid range format: wait:1-2-3 (use wait:min-max)"],
    ["wait:5-3", "Invalid range: minimum (5) cannot be greater than maximum (3)"],
    ["wait:>1 wait:>2", "Multiple minimum wait constraints not allowed (e.g., wait:>5 wait:>10)"],
    ["wait:5+ wait:7+", "Multiple minimum wait constraints not allowed (e.g., wait:5+ wait:>10)"],
    ["wait:<9 wait:<7", "Multiple maximum wait constraints not allowed (e.g., wait:<5 wait:<10)"],
    ["wait:5 wait:5", "Multiple exact wait constraints not allowed (e.g., wait:5 wait:10)"],
    ["wait:5 wait:<9", "Exact wait time cannot be combined with other wait constraints"],
    ["wait:>5 wait:4-9", "Range wait constraint cannot be combined with other wait constraints"],
    ["wait:<0", "Maximum wait time cannot be negative"],
    ["wait:>5 wait:<5", "Minimum wait time cannot be greater than maximum"],
  ];
  for (const [text, error] of cases) expect(parseQuery(text).error, text).toBe(error);
});
