import { expect, test } from "vitest";
import { testdata, writePage } from "../export";
import { count, done, open, search } from "./browser";

const BUNDLE = writePage(testdata("bundle.zip"));
const view = (name: string) => ({ name, exact: true });

test("the flame graph is of the selection, zooms and finds", async () => {
  const page = await open(BUNDLE);
  await search(page).fill("Reserve");
  const shown = (await count(page)).split(" ")[0];
  await page.getByRole("button", view("Flame graph")).click();
  const boxes = page.locator(".box");
  expect(await boxes.first().getAttribute("title")).toBe(`all: ${shown} (100.0%)`);
  const width = async (text: string) => (await boxes.filter({ hasText: text }).first().boundingBox())?.width ?? 0;
  await search(page).fill("");
  const before = await width("queue.(*Pool[...]).work");
  await boxes.filter({ hasText: "queue.(*Pool[...]).work" }).first().click();
  expect(await width("queue.(*Pool[...]).work")).toBeGreaterThan(2 * before);
  await page.getByRole("button", view("Whole graph")).click();
  expect(await width("queue.(*Pool[...]).work")).toBeCloseTo(before, 0);
  await page.getByRole("searchbox", { name: "Search functions in the flame graph" }).fill("(*Pool[...]).work");
  expect(await page.getByTestId("flame-found").innerText()).toBe("190 (21.4%)");
  expect(await page.locator(".box.found").count()).toBeGreaterThan(0);
  const top = async () => (await boxes.first().boundingBox())?.y ?? 0;
  const icicle = await top();
  await page.getByRole("button", view("Callers below")).click();
  expect(await top()).toBeGreaterThan(icicle);
  await done(page);
});

test("the histogram of waits adds up and narrows down", async () => {
  const page = await open(BUNDLE);
  await page.getByRole("button", view("Waits")).click();
  const bars = (await page.getByTestId("bar").allInnerTexts()).map((text) => Number(text.replaceAll(",", "")));
  expect(bars.reduce((sum, bar) => sum + bar, 0)).toBe(888);
  await page.getByRole("button", view("5m to 10m")).click();
  expect(await count(page)).toBe(`${bars[3]} of 888`);
  expect(await search(page).inputValue()).toBe("wait:5-9");
  await done(page);
});

test("the matrix has a column for each input and leads to stacks", async () => {
  const page = await open(BUNDLE);
  await page.getByRole("button", view("Stacks by input")).click();
  expect(await page.locator(".matrix thead th").allInnerTexts()).toEqual(["stack", "median", "n1", "n2", "n3"]);
  const row = page.locator(".matrix tbody tr").filter({ hasText: "queue.(*Pool).work" }).first();
  const cells = (await row.locator("td").allInnerTexts()).map(Number);
  expect(cells[1] + cells[2] + cells[3]).toBe(190);
  await row.getByRole("button").click();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("queue.(*Pool).work"));
  await done(page);
});

test("the creator tree opens, is narrowed to a part and leads to stacks", async () => {
  const page = await open(writePage(testdata("traceback/go1.27.3.debug2.txt")));
  await page.getByRole("button", view("Who created whom")).click();
  const nodes = page.getByTestId("node");
  const roots = await nodes.count();
  const parent = page.locator(".row.node[aria-expanded=false]").first();
  const name = await parent.locator(".name").innerText();
  await parent.click();
  await page.keyboard.press("Enter");
  expect(await nodes.count()).toBeGreaterThan(roots);
  await page.keyboard.press("ArrowDown");
  expect(await page.locator(":focus").getAttribute("aria-level")).toBe("2");
  const open_ = page.locator(".row.node[aria-expanded=true]").first();
  await open_.hover();
  await open_.getByRole("button", { name: "Only this" }).click();
  expect(await nodes.first().locator(".name").innerText()).toContain(name.replace(/[▸▾]\s*/, ""));
  expect(await page.getByText("1 root", { exact: true }).count()).toBe(1);
  await nodes.first().hover();
  await nodes.first().getByRole("button", { name: "Stack" }).click();
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  await done(page);
});

test("what was lost while reading is told", async () => {
  const page = await open(writePage(testdata("hostile/number.txt"), testdata("traceback/go1.27.3.debug2.txt")));
  await page.getByRole("button", view("Reading")).click();
  expect(await page.getByTestId("input").count()).toBe(2);
  await done(page);
});
