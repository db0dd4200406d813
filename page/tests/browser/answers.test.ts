import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FOLDER, openable, pageOf, stackgazer, testdata, writePage } from "../export";
import { count, done, open, search } from "./browser";

const BUNDLE = testdata("bundle.zip");
const [BEFORE, AFTER] = ["n1", "n3"].map((node) => {
  const file = join(FOLDER, `${node}.txt`);
  writeFileSync(file, stackgazer("export", "-o", "debug2", "--input", node, BUNDLE));
  return file;
});
const view = (name: string) => ({ name, exact: true });
const opened = "nav [aria-current=page]";

interface Diff {
  totals: number[];
  statuses: Record<string, { rows: number }>;
  rows: { name: string; status: string; counts: number[]; change: number }[];
}

test("a page of summarize opens at its table, whose keys lead to goroutines", async () => {
  const page = await open(pageOf("summarize", "--by", "state,input", BUNDLE));
  expect(await page.locator(opened).innerText()).toBe("Summary");
  const table = page.getByTestId("summary");
  expect(await table.locator("thead th").allInnerTexts()).toEqual(["state", "input", "goroutines", "share", "stacks", "waited", "top stack"]);
  expect((await table.locator("tbody tr").first().locator("th, td").allInnerTexts()).slice(0, 4)).toEqual(["select", "n1", "181", "20.4%"]);
  await table.getByRole("button", { name: "IO wait" }).first().click();
  expect(await count(page)).toBe("207 of 888");
  expect(await page.locator(opened).innerText()).toBe("Stacks");
  await page.goBack();
  await page.getByTestId("summary").waitFor();
  await expect.poll(() => count(page)).toBe("888");
  await done(page);
});

test("a summary of functions has flat and cum", async () => {
  const page = await open(pageOf("summarize", testdata("profiles/heap.1.pb.gz")));
  const row = page.getByTestId("summary").locator("tbody tr").first();
  expect((await row.locator("th, td").allInnerTexts()).slice(0, 5)).toEqual(["main.piece", "8.95 MiB", "99.4%", "8.95 MiB", "99.4%"]);
  // It stays what it was written with when another value is shown.
  await page.getByLabel("Value").selectOption("alloc_objects");
  await expect.poll(() => count(page)).toBe("125,668");
  expect((await row.locator("th, td").allInnerTexts())[1]).toBe("8.95 MiB");
  await done(page);
});

test("a page of diff opens at what changed, as -o json tells it", async () => {
  const diff = JSON.parse(stackgazer("diff", "-o", "json", BEFORE, AFTER)) as Diff;
  const page = await open(pageOf("diff", BEFORE, AFTER));
  expect(await page.locator(opened).innerText()).toBe("Changes");
  expect(await page.getByTestId("headline").innerText()).toContain(`${diff.totals[0]} → ${diff.totals[1]} goroutines (`);
  const changed = diff.rows.filter(({ status }) => status !== "same");
  expect(changed.length).toBeGreaterThan(2);
  const rows = page.getByTestId("changed");
  expect(await rows.count()).toBe(changed.length);
  const texts = await rows.allInnerTexts();
  for (const [at, { name, status, counts }] of changed.entries()) {
    expect(texts[at]).toContain(`${counts[0]} → ${counts[1]}`);
    expect(texts[at]).toContain(status);
    expect(texts[at]).toContain(name);
  }
  await page.getByRole("checkbox", { name: /^new/ }).uncheck();
  expect(await rows.count()).toBe(changed.length - diff.statuses.new.rows);
  await rows.first().getByRole("button", { name: "show" }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-testid") === "stack");
  await done(page);
});

test("counts of a comparison are those of the last point, with the way from the first", async () => {
  const diff = JSON.parse(stackgazer("diff", "-o", "json", BEFORE, AFTER)) as Diff;
  const page = await open(`${pageOf("diff", BEFORE, AFTER)}#view=stacks`);
  expect(await count(page)).toBe(String(diff.totals[1]));
  const stacks = await page.getByTestId("stack").allInnerTexts();
  const row = diff.rows.find(({ change, counts }) => change !== 0 && counts[0] > 0) ?? diff.rows[0];
  const shown = stacks.find((text) => text.includes(row.name));
  expect(shown).toContain(`${row.counts[0]} → ${row.counts[1]}`);
  // States are those of the last point, too.
  const category = await page.locator(".row.category").filter({ hasText: "net/http" }).innerText();
  expect(category).toContain("25 IO wait, 12 select");
  await done(page);
});

test("a base makes the same page of export and of summarize", async () => {
  const [old, now] = [testdata("profiles/heap.1.pb.gz"), testdata("profiles/heap.2.pb.gz")];
  for (const command of ["export", "summarize"]) {
    const page = await open(pageOf(command, now, "--base", old));
    expect(await page.locator(opened).innerText(), command).toBe("Changes");
    expect(await page.getByTestId("headline").innerText()).toContain("9.00 MiB → 12.1 MiB inuse_space (+3.10 MiB, +34.4%)");
    expect(await page.getByTestId("changed").first().innerText()).toContain("main.piece");
    await done(page);
  }
});

test("a series has a line for each stack", async () => {
  const page = await open(pageOf("diff", "--series", BUNDLE));
  expect(await page.getByTestId("headline").innerText()).toContain("over 3 points");
  const row = page.getByTestId("changed").filter({ hasText: "queue.(*Pool).work" });
  const spark = row.getByRole("img");
  const counts = ((await spark.getAttribute("aria-label")) as string).split(", ").map(Number);
  expect(counts).toHaveLength(3);
  // What is higher stands higher.
  const heights = ((await spark.locator("polyline").getAttribute("points")) as string).split(" ").map((at) => Number(at.split(",")[1]));
  const order = (numbers: number[]) => numbers.map((_, at) => at).sort((a, b) => numbers[a] - numbers[b]);
  expect(order(heights)).toEqual(order(counts).reverse());
  await page.getByRole("button", view("Stacks")).click();
  const stack = page.getByTestId("stack").filter({ hasText: "queue.(*Pool).work" }).first();
  expect(await stack.getByRole("img").getAttribute("aria-label")).toBe(counts.join(", "));
  // The filter reaches the line.
  await search(page).fill("wait:5+");
  expect(await stack.getByRole("img").getAttribute("aria-label")).not.toBe(counts.join(", "));
  await done(page);
});

test("the flame graph of a comparison is as wide as one side and coloured by the change", async () => {
  const [old, now] = [testdata("profiles/heap.1.pb.gz"), testdata("profiles/heap.2.pb.gz")];
  const page = await open(`${pageOf("diff", old, now)}#view=flame`);
  const root = page.locator(".box").first();
  expect(await root.getAttribute("title")).toBe("all: 9.00 MiB → 12.1 MiB (+3.10 MiB)");
  const colour = async (at: typeof root) =>
    (await at.evaluate((box) => getComputedStyle(box).backgroundColor.match(/\d+/g) ?? [])).map(Number);
  const [red, , blue] = await colour(root);
  expect(red).toBeGreaterThan(blue);
  await page.getByLabel("Width").selectOption("before");
  const back = await open(`${pageOf("diff", now, old)}#view=flame`);
  const [less, , more] = await colour(back.locator(".box").first());
  expect(less).toBeLessThan(more);
  await done(page);
  await done(back);
});

test("a page of check opens at its findings, with frames, verdict and what was taken out", async () => {
  const page = await open(pageOf("check", "--explain-suppressed", BUNDLE));
  expect(await page.locator(opened).innerText()).toBe("Findings");
  expect(await page.getByTestId("gate").innerText()).toMatch(/^Fail: /);
  const findings = page.getByTestId("checked");
  expect(await findings.filter({ visible: true }).count()).toBe(10);
  const first = findings.filter({ hasText: "queue.Drain" }).first();
  expect(await first.innerText()).toContain("example.com/shop/queue/queue.go:48");
  expect(await first.innerText()).toContain("created by main.start");
  expect(await first.innerText()).toContain("in n1 (1), n2 (1), n3 (1)");
  await page.getByRole("checkbox", { name: /7 notes/ }).uncheck();
  expect(await findings.filter({ visible: true }).count()).toBe(3);
  await page.getByText("1 taken out").click();
  expect(await findings.filter({ visible: true }).count()).toBe(4);
  await first.getByRole("button", { name: "show" }).click();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("queue.Drain"));
  await done(page);
});

test("of thousands of findings a part is in the document, and more on demand", async () => {
  const file = join(FOLDER, "many.txt");
  const one = (_: unknown, at: number) => `goroutine ${at + 1} [chan receive (nil chan), 9 minutes]:\nmain.never${at}()\n\t/m.go:${at + 1} +0x1\n`;
  writeFileSync(file, Array.from({ length: 250 }, one).join("\n"));
  const page = await open(pageOf("check", file));
  const findings = page.getByTestId("checked");
  expect(await findings.count()).toBe(100);
  const more = page.getByRole("region", { name: "Findings" }).getByRole("button", { name: "150 more findings" });
  await more.click();
  expect(await findings.count()).toBe(200);
  await done(page);
});

test("a gate leaves the page behind as a report", async () => {
  const file = join(FOLDER, "report.html");
  const table = stackgazer("check", "--report", `html=${file}`, "--title", "Build 17", BUNDLE);
  expect(table).toMatch(/^fail: 3 errors/);
  const page = await open(openable(readFileSync(file, "utf8")));
  expect(await page.title()).toBe("Build 17");
  expect(await page.locator(opened).innerText()).toBe("Findings");
  await done(page);
});

test("a page of export opens at its stacks", async () => {
  const page = await open(writePage(BUNDLE));
  expect(await page.locator(opened).innerText()).toBe("Stacks");
  await done(page);
});
