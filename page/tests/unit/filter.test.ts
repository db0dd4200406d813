import { expect, test } from "vitest";
import { Dump } from "../../src/dump";
import { select, type Filter } from "../../src/filter";
import { parseQuery } from "../../src/query";
import { complaints, documents, stackgazer, testdata } from "../export";

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
// Words in stacks, states, labels, ids, names of inputs; digits at every place of an id; every form of a wait; both.
const QUERIES = [
  ...["", "http", "HTTP", "reserve", ".go:", "sync.", "(*", "[...]", "main.main", "_test", "é"],
  ...["state=chan", "state=select", "IO", "chan", "locked", "tenant=acme", "tenant=", "page=/", "node", "="],
  ...["N1", "n1.1", "n2.2", ".2", "n3.", ".", "1.", "0", "00", "01", "10", "5", "17", "100", "020", "1234567890123456789"],
  ...["wait:0", "wait:7", "wait:1+", "wait:>3", "wait:<5", "wait:2-6", "wait:>2 wait:<6", "wait:0.5+", "wait:100+"],
  ...["select wait:1+", "tenant=acme wait:>3", "wait:<3 http", "1 wait:5+"],
];

test.each(DUMPS)("fifty queries over five dumps count what the command line counts: %s %s", async (name, ...rest) => {
  const args = [name, ...rest].map((arg) => (/^(--|\*)/.test(arg) ? arg : testdata(arg)));
  const dump = new Dump((await documents(...args)).page);
  const counts = QUERIES.map((text) => select(dump, { ...ALL, query: parseQuery(text).query ?? { text } }).total);
  const expected = QUERIES.map((text) => {
    const document = JSON.parse(stackgazer("filter", ...args, "--query", text, "-o", "json"));
    return document.selected.goroutines;
  });
  expect(Object.fromEntries(QUERIES.map((query, at) => [query, counts[at]]))).toEqual(
    Object.fromEntries(QUERIES.map((query, at) => [query, expected[at]])),
  );
  // Otherwise nothing was compared.
  expect(QUERIES).toHaveLength(50);
  expect(counts[0]).toBeGreaterThan(0);
  expect(new Set(counts).size).toBeGreaterThan(4);
}, 60_000);

test("what is left out because its wait isn't known is counted as the command line counts it", async () => {
  const args = [testdata("count/go1.26.6.debug1.txt"), testdata("traceback/go1.27.3.debug2.txt")];
  const dump = new Dump((await documents(...args)).page);
  for (const text of ["wait:1+", "wait:<5 http", "http"]) {
    const told = / (\d+) goroutines? left out: their wait isn't known/.exec(complaints("filter", ...args, "--query", text));
    expect(select(dump, { ...ALL, query: parseQuery(text).query ?? { text } }).unknownWaits, text).toBe(Number(told?.[1] ?? 0));
    expect(told !== null, text).toBe(text.includes("wait:"));
  }
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
