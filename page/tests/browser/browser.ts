import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

const CHROMIUM = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(() => browser.close());

/** What pages asked for or complained of. */
const oddities = new WeakMap<Page, string[]>();

/** Opens a page from disk. */
export async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 850 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const odd: string[] = [];
  oddities.set(page, odd);
  page.on("request", (request) => request.url().split("#")[0] !== address.split("#")[0] && odd.push(request.url()));
  page.on("pageerror", (error) => odd.push(String(error)));
  page.on("console", (message) => message.type() === "error" && odd.push(message.text()));
  page.on("dialog", (dialog) => odd.push(`dialog ${dialog.message()}`));
  await page.goto(address);
  await page.getByTestId("count").waitFor();
  return page;
}

/** Closes it; fails where it asked for anything or complained. */
export async function done(page: Page): Promise<void> {
  await page.waitForTimeout(50);
  expect(oddities.get(page)).toEqual([]);
  await page.context().close();
}

export const count = (page: Page) => page.getByTestId("count").innerText();
export const search = (page: Page) => page.getByRole("searchbox", { name: "Search stacks, labels and ids" });
export const stack = (page: Page, name: string) => page.getByTestId("stack").filter({ hasText: name }).first();
