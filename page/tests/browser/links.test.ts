import { expect, test } from "vitest";
import { testdata, writePage } from "../export";
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

test("ids of several inputs are told apart in the address", async () => {
  const page = await open(`${writePage(testdata("bundle.zip"))}#g-n2.20`);
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await page.locator(".target .id").innerText()).toBe("n2.20");
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
