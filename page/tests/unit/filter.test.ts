import { expect, test } from "vitest";
import { Dump } from "../../src/dump";
import { select, type Filter } from "../../src/filter";
import { parseQuery } from "../../src/query";
import { documents, stackgazer, testdata } from "../export";

const ALL: Filter = {
  query: { text: "" },
  conditions: [],
  hiddenInputs: new Set(),
  states: new Set(),
  kinds: new Set(),
  labels: new Set(),
};

const DUMPS = [
  ["bundle.zip"],
  ["bundle.zip", "--member", "*stacks_with_labels.txt"],
  ["traceback/go1.27.3.debug2.txt"],
  ["count/go1.26.6.debug1.txt"],
  ["log/go1.27.3.timeout.txt", "traceback/go1.25.5.ancestors.txt"],
];
const QUERIES = ["", "http", "N1", "n1.1", ".2", "select wait:1+", "state=chan", "wait:<5", "17", "tenant=acme wait:>3"];

test.each(DUMPS)("fifty queries over five dumps count what the command line counts: %s %s", async (name, ...rest) => {
  const args = [name, ...rest].map((arg) => (/^(--|\*)/.test(arg) ? arg : testdata(arg)));
  const dump = new Dump((await documents(...args)).page);
  const counts = QUERIES.map((text) => select(dump, { ...ALL, query: parseQuery(text).query ?? { text } }).total);
  const expected = QUERIES.map((text) => {
    const document = JSON.parse(stackgazer("filter", ...args, "--query", text, "-o", "json"));
    return document.selected.goroutines;
  });
  expect(counts).toEqual(expected);
  // Otherwise nothing was compared.
  expect(counts[0]).toBeGreaterThan(0);
  expect(new Set(counts).size).toBeGreaterThan(2);
});

test("fields narrow each other down as flags do", async () => {
  const args = [testdata("bundle.zip")];
  const dump = new Dump((await documents(...args)).page);
  const count = (filter: Partial<Filter>) => select(dump, { ...ALL, ...filter }).total;
  const expected = (...flags: string[]) =>
    JSON.parse(stackgazer("filter", ...args, ...flags, "-o", "json")).selected.goroutines;
  expect(count({ states: new Set(["select", "IO wait"]) })).toBe(expected("--state", "select", "--state", "IO wait"));
  expect(count({ kinds: new Set(["mutex"]) })).toBe(expected("--kind", "mutex"));
  expect(count({ hiddenInputs: new Set([0]) })).toBe(expected("--input", "n2", "--input", "n3"));
  expect(count({ labels: new Set(["tenant=acme"]) })).toBe(expected("--label", "tenant=acme"));
  const where = (field: "function" | "creator", text: string, not = false) => [{ field, text, not }];
  expect(count({ conditions: where("function", "Reserve") })).toBe(expected("--where", 'func contains "Reserve"'));
  expect(count({ conditions: where("function", "Reserve", true) })).toBe(
    expected("--where", 'not func contains "Reserve"'),
  );
});
