import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FOLDER, stackgazer, testdata, writePage } from "../export";
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
  const found = boxes.filter({ hasText: "queue.(*Pool[...]).work" }).first();
  await boxes.first().hover();
  expect(await page.getByTestId("told").innerText()).toBe(await boxes.first().getAttribute("title"));
  await found.hover();
  expect(await page.getByTestId("told").innerText()).toBe(await found.getAttribute("title"));
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

test("the matrix marks the inputs that summarize --pivot calls outliers", async () => {
  const goroutines = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => `goroutine ${at + 1} [select]:\n${name}()\n\t/src/${name}.go:3 +0x1d\n`);
  const dumps = [100, 101, 99, 100, 102].map((served, at) => {
    const pile = at === 2 ? goroutines(300, "kv.reserve") : [];
    const flushed = at === 4 ? [] : goroutines(60, "kv.flush");
    const file = join(FOLDER, `odd${at + 1}.txt`);
    writeFileSync(file, [...goroutines(served, "kv.serve"), ...pile, ...flushed].join("\n"));
    return file;
  });
  const told = JSON.parse(stackgazer("summarize", "--pivot", "input", "--by", "name", "-o", "json", ...dumps));
  const expected = told.rows.map((row: { name: string; outliers: string[] }) => [row.name, row.outliers]);
  expect(Object.fromEntries(expected)).toEqual({ "kv.serve": [], "kv.flush": ["odd5.txt"], "kv.reserve": ["odd3.txt"] });
  const page = await open(writePage(...dumps));
  await page.getByRole("button", view("Stacks by input")).click();
  const inputs = (await page.locator(".matrix thead th").allInnerTexts()).slice(2);
  const marked = await page.locator(".matrix tbody tr").evaluateAll((rows) =>
    rows.map((row) => {
      const cells = [...row.querySelectorAll("td")].slice(1);
      return [row.querySelector("th")?.innerText, cells.flatMap((cell, at) => (cell.matches(".odd") ? [at] : []))] as const;
    }),
  );
  expect(Object.fromEntries(marked.map(([name, odd]) => [name, odd.map((at) => inputs[at])]))).toEqual(Object.fromEntries(expected));
  await done(page);
});

test("the creator tree opens, is narrowed to a part and leads to stacks", async () => {
  const page = await open(writePage(testdata("traceback/go1.27.3.debug2.txt")));
  await page.getByRole("button", view("Who created whom")).click();
  const nodes = page.getByTestId("node");
  const roots = await nodes.count();
  // Who has created most stands first.
  const created = await nodes.evaluateAll((rows) => rows.map((row) => Number(/created (\d+)/.exec(row.textContent)?.[1] ?? 0)));
  expect(created[0]).toBe(Math.max(...created));
  expect(created[0]).toBeGreaterThan(created[created.length - 1]);
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

test("views that have nothing to show aren't offered, and an address of one opens the first", async () => {
  const page = await open(`${writePage(testdata("count/go1.26.6.debug1.txt"))}#view=tree`);
  const views = await page.getByRole("navigation").getByRole("button").allInnerTexts();
  expect(views.filter((name) => !name.endsWith(" all"))).toEqual(["Stacks", "Findings", "Functions", "Flame graph", "Locks", "Reading"]);
  expect(await page.locator("nav [aria-current=page]").innerText()).toBe("Stacks");
  await done(page);
});

test("a page without goroutines says so instead of blaming the search", async () => {
  const file = join(FOLDER, "race.txt");
  writeFileSync(
    file,
    "==================\nWARNING: DATA RACE\nRead at 0x0000005a2650 by goroutine 7:\n  main.main.func1()\n      /main.go:10 +0x30\n\n" +
      "Previous write at 0x0000005a2650 by main goroutine:\n  main.main()\n      /main.go:11 +0xbd\n==================\n",
  );
  const page = await open(writePage(file));
  expect(await count(page)).toBe("0");
  expect(await page.getByText("What was read holds none.").count()).toBe(1);
  await search(page).fill("x");
  expect(await page.getByText("No goroutine matches").count()).toBe(1);
  await done(page);
});

interface Told {
  inputs: { name: string; complete: boolean; goroutines: number; announced?: number; warnings: { line?: number; text: string }[] }[];
  failed: { text: string }[];
  archive_warnings?: { text: string }[];
}

test("all that was lost while reading is told as -o json tells it", async () => {
  const counted = readFileSync(testdata("count/go1.27.3.debug1.txt"), "utf8");
  const more = join(FOLDER, "more.txt");
  writeFileSync(more, counted.replace(/total (\d+)/, (_, total) => `total ${Number(total) + 7}`));
  const cut = join(FOLDER, "cut.txt");
  writeFileSync(cut, readFileSync(testdata("traceback/go1.27.3.debug2.txt")).subarray(0, 3000));
  const lost = [more, cut, testdata("hostile/number.txt"), testdata("hostile/cut.zip"), testdata("hostile/checksum.gz"), join(FOLDER, "none.txt")];
  const whole = testdata("traceback/go1.25.5.debug2.txt");
  const told = JSON.parse(stackgazer("export", "-o", "json", ...lost, whole)) as Told;
  const page = await open(writePage(...lost, whole));
  await page.getByRole("button", view("Reading")).click();
  const sheet = page.getByRole("region", { name: "Reading" });
  const failures = await sheet.locator("li").allInnerTexts();
  expect(told.failed.length).toBeGreaterThan(1);
  for (const { text } of [...told.failed, ...(told.archive_warnings ?? [])]) {
    expect(failures.some((shown) => shown.startsWith(text)), text).toBe(true);
  }
  expect(failures).toHaveLength(told.failed.length + (told.archive_warnings ?? []).length);
  const rows = page.getByTestId("input");
  expect(await rows.count()).toBe(told.inputs.length);
  const [partial, warned, short] = [told.inputs.filter(({ complete }) => !complete), told.inputs.flatMap(({ warnings }) => warnings), told.inputs.filter(({ announced, goroutines }) => announced !== undefined && announced !== goroutines)];
  expect([partial.length, warned.length, short.length].every((count) => count > 0)).toBe(true);
  for (const [at, input] of told.inputs.entries()) {
    const row = await rows.nth(at).innerText();
    expect(row).toContain(input.name);
    expect(row.includes("not complete"), row).toBe(!input.complete);
    for (const { line, text } of input.warnings) expect(row).toContain(line === undefined ? text : `line ${line}: ${text}`);
    if (short.includes(input)) expect(row).toContain(`${input.goroutines} of ${input.announced} announced`);
  }
  // The verdict says it, too, where nobody looks for it.
  expect(await page.getByTestId("verdict").innerText()).not.toMatch(/reading\s+complete/);
  expect(await page.getByTestId("verdict").innerText()).toContain("could not be read whole");
  await done(page);
});

test("who created whom is a picture that zooms", async () => {
  const page = await open(`${writePage(testdata("bundle.zip"))}#view=tree`);
  await page.getByRole("button", view("Picture")).click();
  const boxes = page.locator(".box");
  expect(await boxes.first().getAttribute("title")).toBe("888 goroutines");
  const creator = page.getByTitle(/^n1\.1 \[running\]/);
  const width = async () => (await creator.boundingBox())?.width ?? 0;
  const before = await width();
  // As wide as how many it has created, itself among them.
  const below = Number(/created (\d+)/.exec((await creator.getAttribute("title")) ?? "")?.[1]);
  const all = (await boxes.first().boundingBox())?.width ?? 1;
  expect(before / all).toBeCloseTo((below + 1) / 889, 2);
  await creator.click();
  expect(await width()).toBeGreaterThan(2 * before);
  const zoomed = await boxes.count();
  await boxes.nth(2).click();
  await page.getByRole("button", view("To its creator")).click();
  expect(await boxes.count()).toBe(zoomed);
  await page.getByRole("button", view("Whole picture")).click();
  expect(await width()).toBeCloseTo(before, 0);
  await creator.click();
  await page.getByRole("button", view("Stack of n1.1")).click();
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await page.locator(".target .id").innerText()).toBe("n1.1");
  await done(page);
});

test("goroutines that created each other, or themselves, end the tree and the picture", async () => {
  const file = join(FOLDER, "circle.txt");
  const one = (id: number, by: number) =>
    `goroutine ${id} [select]:\nmain.f${id}()\n\t/m.go:1 +0x1\ncreated by main.g in goroutine ${by}\n\t/m.go:2 +0x1\n`;
  writeFileSync(file, [one(1, 2), one(2, 1), one(3, 3), one(4, 3)].join("\n"));
  const page = await open(`${writePage(file)}#view=tree`);
  await page.getByText("2 roots", { exact: true }).waitFor();
  const nodes = page.getByTestId("node");
  // Opens whatever can be opened.
  for (let closed = page.locator(".row.node[aria-expanded=false]"), at = 0; (await closed.count()) > 0 && at < 20; at++) {
    await closed.first().focus();
    await page.keyboard.press("ArrowRight");
  }
  expect(await page.locator(".row.node[aria-expanded=false]").count()).toBe(0);
  expect(await nodes.count()).toBeLessThan(10);
  await page.getByRole("button", view("Picture")).click();
  expect(await page.locator(".box").first().getAttribute("title")).toBe("4 goroutines");
  expect(await page.locator(".box").count()).toBe(5);
  await done(page);
});
