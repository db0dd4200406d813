import { expect, test } from "vitest";
import { pageOf, stackgazer, testdata, writePage } from "../export";
import { count, done, open, search } from "./browser";

const HEAP = testdata("profiles/heap.1.pb.gz");
const view = (name: string) => ({ name, exact: true });

interface Rows {
  rows: { function: string; flat: number; cum: number }[];
}

/** The functions of `summarize`, by name: flat and cum in the words of the page. */
function functionsOf(...args: string[]): Map<string, Rows["rows"][number]> {
  const summary = JSON.parse(stackgazer("summarize", "--by", "function", "-o", "json", ...args)) as Rows;
  // Protos spell type arguments out.
  return new Map(summary.rows.map((row) => [row.function.replace(/\[.*\]/, "[...]"), row]));
}

test("every value of a profile can be shown, in its unit", async () => {
  const page = await open(writePage(HEAP));
  expect(await page.getByLabel("Value").locator("option").allInnerTexts()).toEqual([
    "alloc_objects",
    "alloc_space",
    "inuse_objects",
    "inuse_space",
  ]);
  expect(await count(page)).toBe("9.00 MiB");
  await page.getByLabel("Value").selectOption("alloc_objects");
  const total = JSON.parse(stackgazer("summarize", "-o", "json", "--value", "alloc_objects", HEAP)) as { total: number };
  await expect.poll(() => count(page)).toBe(total.total.toLocaleString("en-US"));
  await search(page).fill("main.piece");
  expect(await count(page)).toMatch(/^[\d,]+ of [\d,]+$/);
  await page.waitForURL(/value=alloc_objects/);
  await page.reload();
  await page.getByTestId("count").waitFor();
  expect(await page.getByLabel("Value").inputValue()).toBe("alloc_objects");
  await done(page);
});

test.each([
  ["cpu.1", "cpu", /s$/],
  ["mutex.1", "delay", /s$/],
  ["block.1", "delay", /s$/],
  ["allocs.1", "alloc_space", /iB$/],
  ["threadcreate.1", "threadcreate", /^\d+$/],
  ["goroutine.1", "goroutines", /^\d+$/],
])("a page of %s counts %s", async (name, noun, text) => {
  const page = await open(writePage(testdata(`profiles/${name}.pb.gz`)));
  expect(await count(page)).toMatch(text);
  expect(await page.locator("header .total").innerText()).toContain(noun);
  await done(page);
});

test("functions have flat and cum as summarize has them, of what is selected", async () => {
  const page = await open(`${writePage(HEAP, "--value", "inuse_objects")}#view=functions`);
  const expected = functionsOf("--value", "inuse_objects", HEAP);
  const rows = page.getByTestId("function");
  expect(await rows.count()).toBe(expected.size);
  for (const text of await rows.allInnerTexts()) {
    const [flat, , cum, , name] = text.split("\t").map((cell) => cell.trim());
    expect(Number(flat.replaceAll(",", "")), name).toBe(expected.get(name)?.flat);
    expect(Number(cum.replaceAll(",", "")), name).toBe(expected.get(name)?.cum);
  }
  await page.getByRole("searchbox", { name: "Search functions" }).fill("piece");
  expect(await rows.count()).toBe(1);
  await page.getByRole("searchbox", { name: "Search functions" }).fill("");
  const before = await rows.count();
  await search(page).fill("main.piece");
  expect(await rows.count()).toBeLessThan(before);
  await page.getByRole("button", { name: "Most with callees first" }).click();
  const cum = await rows.first().locator("td").nth(2).innerText();
  expect(cum).toBe((await count(page)).split(" of ")[0]);
  await done(page);
});

test("a function stands between its callers and its callees, which lead on", async () => {
  const page = await open(`${writePage(testdata("bundle.zip"))}#view=functions`);
  await page.getByRole("searchbox", { name: "Search functions" }).fill("(*Inventory).load");
  await page.getByRole("button", { name: "example.com/shop/store.(*Inventory).load", exact: true }).click();
  expect(await page.getByTestId("focus").innerText()).toContain("store.(*Inventory).load");
  const peek = stackgazer("summarize", "--peek", "^example.com/shop/store..*Inventory..load$", "-o", "json", testdata("bundle.zip"));
  const peeked = JSON.parse(peek) as { rows: { callers: unknown[]; callees: unknown[] }[] };
  expect(await page.getByTestId("caller").count(), peek.slice(0, 400)).toBe(peeked.rows[0].callers.length);
  expect(await page.getByTestId("callee").count()).toBe(peeked.rows[0].callees.length);
  const caller = page.getByTestId("caller").first().getByRole("button");
  const name = await caller.innerText();
  await caller.click();
  await page.waitForURL(/function=/);
  expect(await page.getByTestId("focus").innerText()).toContain(name);
  expect(await page.getByTestId("callee").filter({ hasText: "(*Inventory).load" }).count()).toBe(1);
  await page.goBack();
  await page.getByTestId("focus").filter({ hasText: "(*Inventory).load" }).waitFor();
  await page.getByRole("button", view("Its stacks")).click();
  expect(await count(page)).toMatch(/ of 888$/);
  await done(page);
});

test("pages of values leave out what only goroutines have", async () => {
  const page = await open(pageOf("summarize", HEAP));
  const views = await page.getByRole("navigation").getByRole("button").allInnerTexts();
  expect(views).toEqual(["Summary", "Stacks", "Functions", "Flame graph", "Reading"]);
  expect(await page.getByRole("group", { name: "States" }).count()).toBe(0);
  await done(page);
});
