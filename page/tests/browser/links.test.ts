import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FOLDER, stackgazer, testdata, writePage } from "../export";
import { count, done, open, search } from "./browser";

const TREE = writePage(testdata("traceback/go1.27.3.debug2.txt"));

test("creators and created are links with a preview, and Back returns", async () => {
  const page = await open(TREE);
  await page.getByRole("button", { name: "Open all" }).click();
  const link = page.locator("a.preview").first();
  await link.hover();
  const tip = link.locator(".tip");
  expect(await tip.isVisible()).toBe(true);
  expect(await tip.innerText()).toMatch(/^\[.+\] .+ → .+$/);
  const id = (await link.getAttribute("href"))?.slice("#g-".length) as string;
  const from = page.url();
  await link.click();
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await page.locator(".target .id").innerText()).toBe(id);
  expect(page.url()).toContain(`#g-${id}`);
  await page.getByRole("button", { name: "Back" }).click();
  await page.waitForURL(from);
  expect(await page.locator(".target").count()).toBe(0);
  await done(page);
});

test("a goroutine names who created it and whom it created, and says who is gone", async () => {
  const file = join(FOLDER, "created.txt");
  const one = (id: number, by: number) =>
    `goroutine ${id} [select]:\nmain.f()\n\t/m.go:1 +0x1\ncreated by main.g in goroutine ${by}\n\t/m.go:2 +0x1\n`;
  writeFileSync(file, [one(1, 99), ...[2, 3, 4, 5, 6, 7, 8].map((id) => one(id, 1))].join("\n"));
  const page = await open(writePage(file));
  await page.getByRole("button", { name: "Open all" }).click();
  const rows = page.getByTestId("goroutine");
  expect(await rows.first().locator("a.preview").evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual(
    ["#g-2", "#g-3", "#g-4", "#g-5", "#g-6"],
  );
  expect(await rows.first().innerText()).toMatch(/created 7: .* and 2 more/s);
  expect(await rows.first().locator(".gone").innerText()).toBe("99");
  expect(await rows.nth(1).locator("a.preview").getAttribute("href")).toBe("#g-1");
  await done(page);
});

test("the address leads to a goroutine even where the filter hides it", async () => {
  const page = await open(TREE);
  await page.getByRole("button", { name: "Open all" }).click();
  const id = await page.locator(".id").first().innerText();
  await done(page);
  const linked = await open(`${TREE}#g-${id}&q=nothing-is-called-so`);
  await linked.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await linked.locator(".target .id").innerText()).toBe(id);
  expect(await count(linked)).toMatch(/^0 of/);
  await done(linked);
});

test("places of modules and of Go itself lead to their source, where -o json says it is", async () => {
  const dump = testdata("modules/goroutine.txt");
  const document = JSON.parse(stackgazer("export", "-o", "json", dump)) as {
    categories: { stacks: { frames: { func: string; line: number; source?: string; module?: string }[] }[] }[];
  };
  const frames = document.categories.flatMap(({ stacks }) => stacks).flatMap(({ frames }) => frames);
  const sources = new Set(frames.flatMap(({ source }) => source ?? []));
  expect(sources.size).toBeGreaterThan(0);
  const page = await open(writePage(dump));
  await page.getByRole("button", { name: "Open all" }).click();
  const links = page.locator("ol.frames a.place");
  const shown = await links.evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.getAttribute("rel"), one.getAttribute("target")]));
  expect(new Set(shown.map(([href]) => href))).toEqual(sources);
  expect(shown.every(([, rel, target]) => rel === "noreferrer noopener" && target === "_blank")).toBe(true);
  const one = frames.find(({ source, module }) => source !== undefined && module !== undefined);
  const link = page.locator(`a.place[href="${one?.source}"]`).first();
  expect(await link.getAttribute("title")).toBe(one?.module);
  expect(await link.innerText()).toMatch(new RegExp(`:${one?.line}$`));
  // Frames whose source nobody knows have no link.
  expect(await page.locator("ol.frames code.place").count()).toBeGreaterThan(shown.length);
  await done(page);
});

test("ids of several inputs are told apart in the address", async () => {
  const page = await open(`${writePage(testdata("bundle.zip"))}#g-n2.20`);
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await page.locator(".target .id").innerText()).toBe("n2.20");
  await done(page);
});

test("an input that is read twice has two names, and each is hidden alone", async () => {
  const dump = testdata("traceback/go1.27.3.debug2.txt");
  const page = await open(`${writePage(dump, dump)}#hide=go1.27.3.debug2.txt%232`);
  const [shown, all] = (await count(page)).split(" of ").map(Number);
  expect(shown * 2).toBe(all);
  await done(page);
});

test("the filter is in the address", async () => {
  const page = await open(TREE);
  await search(page).fill("select wait:<5");
  const shown = await count(page);
  await page.waitForURL(/#q=select%20wait%3A%3C5$/);
  const address = page.url();
  await done(page);
  const again = await open(address);
  expect(await count(again)).toBe(shown);
  expect(await search(again).inputValue()).toBe("select wait:<5");
  await done(again);
});
