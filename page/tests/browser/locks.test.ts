import { expect, test } from "vitest";
import { stackgazer, testdata, writePage } from "../export";
import { done, open, search } from "./browser";

const JAMS = [testdata("waits/go1.27.3.zip")];

interface Waits {
  piles: { pile: number; total: number; holders: { id: string; waits_in: number | null }[] }[];
  cycles: { text: string; members: { id: string }[] }[];
}

test("a chain of locks is drawn from those that wait to who holds the last, and leads to goroutines", async () => {
  const chain = ["--member", "chain.txt", ...JAMS];
  const waits = JSON.parse(stackgazer("tree", "--waits", "-o", "json", ...chain)) as Waits;
  const links = waits.piles.filter(({ holders }) => typeof holders[0]?.waits_in === "number");
  expect(links.length).toBeGreaterThan(0);
  const page = await open(`${writePage(...chain)}#view=locks`);
  expect(await page.getByTestId("pile").count()).toBe(waits.piles.length);
  expect(await page.locator(".chain .head").count()).toBe(links.length);
  // Who waits stands to the right of what is waited for.
  const box = async (at: number) => {
    const pile = waits.piles[at];
    const text = `${pile.total} wait`;
    const boxes = page.getByTestId("pile").filter({ hasText: text }).filter({ hasText: `held by ${pile.holders[0].id}` });
    return (await boxes.first().boundingBox())?.x ?? 0;
  };
  const link = links.find(({ holders }) => waits.piles[holders[0].waits_in as number].holders.length > 0);
  expect(link).toBeDefined();
  if (link) expect(await box(link.pile)).toBeGreaterThan(await box(link.holders[0].waits_in as number));
  const holder = page.getByTestId("pile").getByRole("button", { name: /^held by/ }).first();
  const id = /held by (\d+)/.exec(await holder.innerText())?.[1];
  await holder.click();
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await page.locator(".target .id").innerText()).toBe(id);
  await done(page);
});

test("a circle is told first, drawn once and ends", async () => {
  const cross = ["--member", "cross.txt", ...JAMS];
  const waits = JSON.parse(stackgazer("tree", "--waits", "-o", "json", ...cross)) as Waits;
  const page = await open(`${writePage(...cross)}#view=locks`);
  const circle = page.getByTestId("circle");
  expect(await circle.innerText()).toContain(waits.cycles[0].text);
  expect(await page.getByTestId("pile").count()).toBe(waits.piles.length);
  expect(await page.locator(".pile.circle").count()).toBeGreaterThan(0);
  await circle.getByRole("button", { name: `go to ${waits.cycles[0].members[0].id}` }).click();
  await page.waitForFunction(() => document.activeElement?.classList.contains("target"));
  await done(page);
});

test("a circle among several inputs is told with the name of its input", async () => {
  const page = await open(`${writePage("--member", "cross.txt", "--member", "chain.txt", ...JAMS)}#view=locks`);
  expect(await page.getByTestId("circle").innerText()).toMatch(/^cross\.txt: goroutine \d+ /);
  await done(page);
});

test("a circle that is only probable says so", async () => {
  const page = await open(`${writePage("--member", "feed.txt", ...JAMS)}#view=locks`);
  expect(await page.getByTestId("circle").innerText()).toMatch(/^probably: goroutine \d+ /);
  await done(page);
});

test("locks are those of what is selected, and who waits is a stack to look at", async () => {
  const page = await open(`${writePage(testdata("bundle.zip"))}#view=locks`);
  const piles = page.getByTestId("pile");
  const all = await piles.count();
  expect(all).toBeGreaterThan(5);
  await page.getByRole("button", { name: "only n3" }).click();
  expect(await piles.count()).toBeLessThan(all);
  await piles.first().getByRole("button", { name: /wait/ }).first().click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("data-testid") === "stack");
  await search(page).fill("nothing-is-called-so");
  await page.getByRole("button", { name: "Locks", exact: true }).click();
  expect(await piles.count()).toBe(0);
  await done(page);
});

test("where nobody waits for a lock there is no such view", async () => {
  const page = await open(writePage(testdata("crashes/go1.27.3.mapwrites.txt")));
  expect(await page.getByRole("button", { name: "Locks", exact: true }).count()).toBe(0);
  await done(page);
});
