import type { Locator } from "playwright-core";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FOLDER, stackgazer, testdata, writePage } from "../export";
import { count, done, open, search, stack } from "./browser";

const BUNDLE = writePage(testdata("bundle.zip"));

test("the verdict stands first and leads to its stacks", async () => {
  const page = await open(BUNDLE);
  const verdict = page.getByTestId("verdict");
  expect(await verdict.innerText()).toContain("55 wait for a mutex in store.(*Inventory).Reserve");
  await verdict.getByRole("button", { name: "show" }).first().click();
  await page.getByRole("treeitem", { name: /store\.\(\*Inventory\)\.Reserve → mutex/ }).waitFor();
  expect(await page.locator(":focus").innerText()).toContain("Reserve → mutex");
  expect(await page.getByText("created by").count()).toBeGreaterThan(0);
  await done(page);
});

test("findings of check are there and lead to their stacks", async () => {
  const page = await open(BUNDLE);
  const finding = page.getByTestId("finding").filter({ hasText: "queue.Drain" }).first();
  expect(await finding.innerText()).toContain("error");
  await finding.getByRole("button", { name: "show" }).click();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes("queue.Drain"));
  await done(page);
});

test("a crash comes first and leads to its goroutine", async () => {
  const page = await open(writePage(testdata("crashes/go1.27.3.mapwrites.txt")));
  expect((await page.getByTestId("verdict").locator("dd").first().innerText()).trim()).toContain(
    "fatal error: concurrent map writes",
  );
  await page.getByRole("button", { name: "go to 6" }).first().click();
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await page.locator(":focus").getAttribute("data-testid")).toBe("goroutine");
  await done(page);
});

test("the search answers at once, says what it can't understand and keeps the last filter", async () => {
  const page = await open(BUNDLE);
  expect(await count(page)).toBe("888");
  await search(page).fill("Reserve wait:5+");
  const filtered = await count(page);
  expect(filtered).toMatch(/^\d+ of 888$/);
  await search(page).fill("Reserve wait:5+ disk");
  expect(await page.getByRole("alert").innerText()).toBe("Only one search term allowed (plus wait: filters)");
  expect(await count(page)).toBe(filtered);
  await search(page).press("Escape");
  expect(await count(page)).toBe("888");
  await search(page).fill("nothing-is-called-so");
  expect(await count(page)).toBe("0 of 888");
  expect(await page.getByText("No goroutine matches").count()).toBe(1);
  await done(page);
});

test("counts of categories and stacks say M of N", async () => {
  const page = await open(BUNDLE);
  await search(page).fill("wait:7");
  const row = stack(page, "http client reader → read");
  expect(await row.locator(".count").innerText()).toMatch(/^\d+ of 102$/);
  const category = page.locator(".row.category").filter({ hasText: "net/http" });
  expect(await category.locator(".count").innerText()).toMatch(/^\d+ of 309$/);
  await done(page);
});

test("categories and stacks say their states and how long they have waited", async () => {
  const page = await open(BUNDLE);
  const facts = (row: Locator) => row.locator(".facts").innerText();
  const category = page.locator(".row.category").filter({ hasText: "net/http" });
  expect(await facts(category)).toBe("207 IO wait, 102 select · up to 7m");
  expect(await facts(stack(page, "http client writer"))).toBe("select · up to 7m");
  await search(page).fill("wait:2-4");
  expect(await facts(stack(page, "http client writer"))).toBe("select · 2m to 4m");
  await done(page);
});

test("inputs are hidden, shown and soloed", async () => {
  const page = await open(BUNDLE);
  const inputs = page.getByTestId("inputs");
  await inputs.getByRole("checkbox").first().uncheck();
  expect(await count(page)).toBe("439 of 888");
  await inputs.getByRole("checkbox").first().check();
  expect(await count(page)).toBe("888");
  await inputs.getByRole("button", { name: "only n3" }).click();
  expect(await count(page)).toBe("193 of 888");
  await inputs.getByRole("button", { name: "only n3" }).click();
  expect(await count(page)).toBe("888");
  await done(page);
});

test("states, kinds and labels are facets with counts", async () => {
  const page = await open(BUNDLE);
  const facet = (name: string) => page.getByRole("group", { name });
  await facet("States").getByRole("checkbox", { name: /^select 309/ }).check();
  expect(await count(page)).toBe("309 of 888");
  await facet("States").getByRole("checkbox", { name: /^select/ }).first().uncheck();
  await facet("Kinds").getByRole("checkbox", { name: /^mutex/ }).check();
  expect(await count(page)).toBe("55 of 888");
  await page.getByRole("button", { name: "Show all" }).click();
  await facet("Labels").getByRole("checkbox", { name: /^node=2/ }).check();
  expect(await count(page)).toBe("246 of 888");
  await done(page);
});

test("conditions on fields are added and taken away", async () => {
  const page = await open(BUNDLE);
  await page.getByLabel("Field", { exact: true }).selectOption("category");
  await page.getByLabel("Text of the field").fill("NET/http");
  await page.getByRole("button", { name: "Add" }).click();
  expect(await count(page)).toBe("309 of 888");
  await page.getByLabel("Condition").selectOption("hasn't");
  await page.getByLabel("Field", { exact: true }).selectOption("name");
  await page.getByLabel("Text of the field").fill("reader");
  await page.getByLabel("Text of the field").press("Enter");
  expect(await count(page)).toBe("207 of 888");
  await page.getByRole("button", { name: /category has/ }).click();
  expect(await count(page)).toBe("786 of 888");
  await done(page);
});

test("a stack opens to frames, groups and goroutines, four at first", async () => {
  const page = await open(BUNDLE);
  await stack(page, "http client writer").click();
  await page.keyboard.press("Enter");
  await page.getByText("net/http.(*persistConn).writeLoop").first().waitFor();
  const more = page.getByRole("button", { name: /^show 16 more of 16/ }).first();
  const shown = await page.getByTestId("goroutine").count();
  await more.click();
  expect(await page.getByTestId("goroutine").count()).toBeGreaterThan(shown);
  await done(page);
});

test("display modes show functions, places or both", async () => {
  const page = await open(BUNDLE);
  await stack(page, "http client writer").click();
  await page.keyboard.press("Enter");
  const frames = page.locator(".frames").first();
  const mode = page.getByLabel("Frames");
  expect(await frames.locator("code").count()).toBe(2);
  await mode.selectOption("functions");
  expect(await frames.innerText()).not.toContain(".go:");
  await mode.selectOption("places");
  expect(await frames.innerText()).not.toContain("writeLoop");
  await mode.selectOption("columns");
  const [func, place] = await frames.locator("code").all();
  expect((await func.boundingBox())?.y).toBe((await place.boundingBox())?.y);
  // Places stand below each other, however long the functions are.
  await page.getByRole("button", { name: "Open all" }).click();
  const lefts = await page.locator("ol.frames .place").evaluateAll((all) => all.slice(0, 10).map((one) => one.getBoundingClientRect().left));
  expect(new Set(lefts).size).toBe(1);
  await done(page);
});

test("what is pinned stays in sight whatever the search says, alone or with all that is in it", async () => {
  const page = await open(BUNDLE);
  const pin = async (row: Locator, name: string) => {
    await row.hover();
    await row.getByRole("button", { name, exact: true }).click();
  };
  const shown = () => page.locator(".row").allInnerTexts();
  const nothing = () => search(page).fill("nothing-is-called-so");
  const unpin = async () => {
    await page.getByRole("button", { name: "Unpin all" }).click();
    await search(page).fill("");
  };
  // A stack alone is its row and its frames.
  await pin(stack(page, "queue.Drain"), "Pin");
  await nothing();
  expect(await count(page)).toBe("0 of 888");
  expect(await page.getByTestId("stack").count()).toBe(1);
  await stack(page, "queue.Drain").click();
  await page.keyboard.press("Enter");
  await page.locator("ol.frames").waitFor();
  expect(await page.getByTestId("goroutine").count()).toBe(0);
  // With all that is in it, it is its goroutines, too.
  await pin(stack(page, "queue.Drain"), "Pin all");
  expect(await page.getByTestId("goroutine").count()).toBe(3);
  // Whatever it is that leaves them out.
  await search(page).fill("wait:100+");
  expect(await page.getByTestId("goroutine").count()).toBe(3);
  await search(page).fill("");
  await page.getByRole("group", { name: "States" }).getByRole("checkbox", { name: /^running/ }).check();
  await page.getByRole("button", { name: "only n2" }).click();
  expect(await count(page)).toBe("1 of 888");
  expect(await page.getByTestId("goroutine").filter({ hasText: /^n[13]\./ }).count()).toBe(2);
  await page.getByRole("button", { name: "Show all" }).click();
  await nothing();
  await pin(stack(page, "queue.Drain"), "Pin all");
  expect(await page.getByTestId("stack").count()).toBe(0);
  await search(page).fill("");
  // One of its three groups, and one goroutine of another.
  const group = page.locator(".row.group").filter({ hasText: "n2" }).first();
  await pin(group, "Pin all");
  const goroutine = page.getByTestId("goroutine").filter({ hasText: /^n3\./ }).first();
  await pin(goroutine, "Pin");
  await nothing();
  expect((await page.getByTestId("goroutine").allInnerTexts()).map((text) => text.slice(0, 3))).toEqual(["n2.", "n3."]);
  expect(await page.locator(".row.group").count()).toBe(2);
  await unpin();
  // A category alone, then with its stacks, by the keyboard.
  await search(page).fill("signal.loop");
  await page.locator(".row.category").filter({ hasText: "os/signal" }).focus();
  await page.keyboard.press("p");
  await nothing();
  expect(await shown()).toHaveLength(1);
  await page.locator(".row.category").focus();
  await page.keyboard.press("P");
  expect(await page.getByTestId("stack").allInnerTexts()).toHaveLength(1);
  await page.getByRole("button", { name: "Unpin all" }).click();
  expect(await shown()).toHaveLength(0);
  await done(page);
});

test("a stack is copied as text", async () => {
  const page = await open(BUNDLE, { permissions: ["clipboard-read", "clipboard-write"] });
  await stack(page, "queue.Drain").click();
  await page.keyboard.press("c");
  await page.getByText("Copied").waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toMatch(/^# queue → queue\.Drain\n# n1\ngoroutine n1\.\d+ \[chan receive \(nil chan\)/);
  expect(text).toMatch(/\nexample\.com\/shop\/queue\.Drain\[\.\.\.\]\n\t\S+\.go:\d+\n/);
  await done(page);
});

test("a category is copied as its stacks, a group as what is in it, of what is selected", async () => {
  const page = await open(BUNDLE, { permissions: ["clipboard-read", "clipboard-write"] });
  const copied = async (row: Locator) => {
    await row.focus();
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await page.keyboard.press("c");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe("");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const category = page.locator(".row.category").filter({ hasText: "report" }).first();
  const all = await copied(category);
  expect(all.match(/^# report → /gm)).toHaveLength(4);
  expect(all.match(/^goroutine /gm)).toHaveLength(12);
  await page.getByRole("button", { name: "only n2" }).click();
  const some = await copied(category);
  expect(some.match(/^goroutine /gm)).toHaveLength(4);
  expect(some).not.toContain("# n1");
  await stack(page, "report.Never").click();
  await page.keyboard.press("Enter");
  const group = await copied(page.locator(".row.group").first());
  expect(group).toMatch(/^# report → report\.Never\n# n2\ngoroutine n2\.\d+ \[select \(no cases\)/);
  await done(page);
});

test("the theme follows the system until one is chosen", async () => {
  const page = await open(BUNDLE, { colorScheme: "dark" });
  const back = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await back();
  await page.getByRole("button", { name: "Theme: system" }).click();
  const light = await back();
  expect(light).toBe("rgb(255, 255, 255)");
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByTestId("count").waitFor();
  expect(await back()).toBe(light);
  await page.getByRole("button", { name: "Theme: light" }).click();
  expect(await back()).toBe(dark);
  await done(page);
});

test("stacks are listed by count, name or wait", async () => {
  const file = join(FOLDER, "order.txt");
  const some = (count: number, name: string, wait: number) =>
    Array.from({ length: count }, () => `goroutine ${++id} [select, ${wait} minutes]:\nmain.${name}()\n\t/${name}.go:1 +0x1\n`);
  let id = 0;
  writeFileSync(file, [...some(3, "alpha", 5), ...some(9, "beta", 2), ...some(1, "gamma", 8)].join("\n"));
  const page = await open(writePage(file));
  const listed = async () => (await page.getByTestId("stack").locator(".name").allInnerTexts()).map((text) => text.split(".")[1]);
  expect(await listed()).toEqual(["beta", "alpha", "gamma"]);
  await page.getByLabel("Order").selectOption("name");
  expect(await listed()).toEqual(["alpha", "beta", "gamma"]);
  await page.getByLabel("Order").selectOption("wait");
  expect(await listed()).toEqual(["gamma", "alpha", "beta"]);
  await done(page);
});

test("a stack says which rules named it, as name --explain does", async () => {
  const page = await open(BUNDLE);
  await search(page).fill("Reserve");
  const row = stack(page, "store.(*Inventory).Reserve → mutex");
  await row.hover();
  await row.getByRole("button", { name: "Why" }).click();
  const why = page.getByTestId("why");
  await why.first().waitFor();
  const shown = (await why.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
  const explained = JSON.parse(stackgazer("name", "--explain", "-o", "json", testdata("bundle.zip"))) as {
    stacks: { name: string; frames: { step: string | null; rule: { list: string; rule: string } | null }[] }[];
  };
  const told = explained.stacks.find((one) => one.name === "store.(*Inventory).Reserve → mutex");
  const steps = told?.frames.filter((frame) => frame.step !== null) ?? [];
  expect(steps.length).toBeGreaterThan(2);
  for (const [at, { step, rule }] of steps.entries()) {
    expect(shown[at].startsWith(rule === null ? `${step}` : `${step} by ${rule.list} ${rule.rule}`), shown[at]).toBe(true);
  }
  expect(shown.some((text) => text.includes("tells the category by"))).toBe(true);
  // By the keyboard too, and off again.
  await row.focus();
  await page.keyboard.press("w");
  expect(await why.count()).toBe(0);
  await done(page);
});
