import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { FOLDER, pageOf, testdata, writePage } from "../export";
import { count, done, open, search } from "./browser";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const BUNDLE = writePage(testdata("bundle.zip"));
const CHANGES = pageOf("diff", "--series", testdata("bundle.zip"));
const SUMMARY = pageOf("summarize", "--by", "state,input", testdata("bundle.zip"));

test("hostile names run nothing, wherever they stand", async () => {
  const evil = (place: string) => `<img/src=x/onerror=window.hit="${place}"></script><script>window.hit="${place}"</script>`;
  const file = join(FOLDER, `<b>evil"'&.txt`);
  const header = `goroutine 1 [${evil("state").replaceAll("]", "")}, 9 minutes, ${evil("flag")}]:`;
  const waiting = (id: number) => `goroutine ${id} [sync.Mutex.Lock, 7 minutes]:\nsync.(*Mutex).Lock(0xc000010008)\n\t/sync/mutex.go:90 +0x1\nmain.${evil("lock")}(0xc000010000)\n\t/x.go:1 +0x1\n\n`;
  const frames = `main.${evil("func")}(...)\n\t/${evil("file")}.go:7 +0x1\ncreated by ${evil("creator")} in goroutine 2\n\t/x.go:1 +0x1\n`;
  writeFileSync(file, `panic: ${evil("panic")}\n\n${header}\n${frames}\ngoroutine 2 [select {"k<i>": "${evil("label").replaceAll('"', "'")}"}]:\n${frames}\n${[3, 4, 5, 6].map(waiting).join("")}`);
  const title = ["--title", `</title><script>window.hit="title"</script>`];
  const base = join(FOLDER, `<i>base"'&.txt`);
  writeFileSync(base, `goroutine 3 [select]:\nmain.${evil("base")}(...)\n\t/x.go:1 +0x1\n`);
  const by = "state,function,label:k<i>,input,creator";
  const seen = new Set<string>();
  for (const address of [
    writePage(file, file, ...title),
    pageOf("summarize", "--by", by, file, file, ...title),
    pageOf("diff", base, file, ...title),
    pageOf("diff", base, file, file, "--by-input", ...title),
    pageOf("check", "--at-end", file, file, ...title),
  ]) {
    const page = await open(address);
    expect(await page.title()).toBe(`</title><script>window.hit="title"</script>`);
    for (const name of await views(page)) {
      if (NO_VIEWS.includes(name)) continue;
      seen.add(name);
      await page.getByRole("button", { name, exact: true }).click();
      if (name === "Stacks") {
        await page.getByRole("button", { name: "Open all" }).click();
        await page.getByTestId("stack").first().focus();
        await page.keyboard.press("w");
      }
      if (name === "Functions") await page.getByTestId("function").first().getByRole("button").click();
      if (name === "Who created whom") await page.getByRole("button", { name: "Picture" }).click();
      await page.waitForTimeout(30);
    }
    await search(page).fill("<img/src=x");
    expect(await page.evaluate(() => (window as { hit?: string }).hit)).toBe(undefined);
    expect(await page.locator("img, b, i, #page script").count()).toBe(0);
    await done(page);
  }
  expect([...seen].sort()).toEqual(
    ["Changes", "Findings", "Flame graph", "Functions", "Locks", "Reading", "Stacks", "Stacks by input", "Summary", "Waits", "Who created whom"],
  );
});

test("the policy allows the page's own script and style and nothing else", async () => {
  const page = await open(BUNDLE);
  const policy = await page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content");
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; base-uri 'none'; form-action 'none'$/,
  );
  // Were it not in force, this would run.
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.head.append(script);
  });
  expect(await page.evaluate(() => (window as { ran?: boolean }).ran)).toBe(undefined);
  await page.context().close();
});

/** The names of the views that a page offers. */
const views = (page: Page) => page.getByRole("navigation").getByRole("button").filter({ visible: true }).allInnerTexts();
const NO_VIEWS = ["Back", "Open all", "Close all", "Choose"];

interface Fault {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** What axe finds that is serious or critical. */
const faults = (page: Page) =>
  page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Fault[] }> } };
    const { violations } = await axe.run();
    const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    return bad.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
  });

const WIDE = { width: 1360, height: 850 };
const PHONE = { width: 390, height: 844 };

test.each([
  ["light", WIDE],
  ["dark", WIDE],
  ["light", PHONE],
  ["dark", PHONE],
] as const)("axe finds no serious fault in any view, in the %s theme on %o", async (colorScheme, viewport) => {
  const seen = new Set<string>();
  for (const address of [BUNDLE, CHANGES, SUMMARY]) {
    const page = await open(address, { colorScheme, viewport, bypassCSP: true });
    await page.addScriptTag({ path: AXE });
    for (const name of await views(page)) {
      if (NO_VIEWS.includes(name) || (address !== BUNDLE && seen.has(name))) continue;
      seen.add(name);
      await page.getByRole("button", { name, exact: true }).click();
      if (name === "Stacks") await page.getByRole("button", { name: "Open all" }).click();
      if (name === "Functions") await page.getByTestId("function").first().getByRole("button").click();
      await page.waitForTimeout(100);
      expect(await faults(page), name).toEqual([]);
    }
    if (viewport === PHONE && address === BUNDLE) {
      await page.getByRole("button", { name: "Choose" }).click();
      expect(await faults(page), "facets").toEqual([]);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await faults(page), "help").toEqual([]);
    await page.context().close();
  }
  expect(seen.size).toBe(11);
});

test("a phone shows every view without scrolling sideways, and what there is to choose from on demand", async () => {
  for (const address of [BUNDLE, CHANGES, SUMMARY]) {
    const page = await open(address, { viewport: PHONE, hasTouch: true, isMobile: true });
    for (const name of await views(page)) {
      if (NO_VIEWS.includes(name)) continue;
      await page.getByRole("button", { name, exact: true }).tap();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide, name).toBeLessThanOrEqual(PHONE.width);
    }
    await page.getByRole("button", { name: "Stacks", exact: true }).tap();
    expect(await page.getByRole("group", { name: "States" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Choose" }).tap();
    const before = await count(page);
    await page.getByRole("group", { name: "States" }).getByRole("checkbox").first().tap();
    await expect.poll(() => count(page)).not.toBe(before);
    const stack = page.getByTestId("stack").first();
    await stack.locator("button.name").tap();
    await page.locator("ol.frames").first().waitFor();
    // Nothing of a row lies outside of it.
    const right = await page.locator(".row *").evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
    expect(right).toBeLessThanOrEqual(PHONE.width);
    await done(page);
  }
});

test("Tab comes to every control of every view", async () => {
  for (const address of [BUNDLE, CHANGES, SUMMARY]) {
    const page = await open(address);
    for (const name of await views(page)) {
      if (NO_VIEWS.includes(name)) continue;
      await page.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.waitForTimeout(30);
      // Controls of a row are reached from the row, which the arrows come to.
      const unreachable = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("main button, main a, main input, main select, main summary, main [onclick]")]
          .filter((one) => one.tabIndex < 0 && one.closest("[role=treeitem]") === null && one.checkVisibility())
          .map((one) => `${one.tagName} ${one.textContent}`),
      );
      expect(unreachable, name).toEqual([]);
      // What comes after the button of the view is in the view.
      const inside = page.locator("main section :focus, main section:focus, main [role=tree] :focus");
      for (let at = 0; at < 40 && (await inside.count()) === 0; at++) await page.keyboard.press("Tab");
      expect(await inside.count(), name).toBe(1);
    }
    await done(page);
  }
});

test("the keyboard alone reaches everything", async () => {
  const page = await open(BUNDLE);
  const press = (...keys: string[]) => keys.reduce((last, key) => last.then(() => page.keyboard.press(key)), Promise.resolve());
  const focused = () => page.locator(":focus").innerText();
  await press("?");
  expect(await page.getByRole("dialog").innerText()).toContain("search; Esc in the box");
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press("/");
  await page.keyboard.type("wait:5+");
  expect(await count(page)).toMatch(/ of 888$/);
  await press("Escape");
  // From the search box through the page to the list.
  for (let at = 0; at < 200; at++) {
    await press("Tab");
    if ((await page.locator(":focus").getAttribute("role")) === "treeitem") break;
  }
  expect(await focused()).toContain("net/http");
  await press("ArrowDown");
  expect(await focused()).toContain("http client reader");
  await press("ArrowRight", "j");
  expect(await page.locator(":focus .frames").count()).toBe(1);
  await press("j", "j");
  expect(await page.locator(":focus").getAttribute("data-testid")).toBe("goroutine");
  await press("ArrowLeft", "ArrowLeft", "p");
  expect(await page.getByRole("button", { name: "Unpin all" }).count()).toBe(1);
  await press("ArrowLeft");
  expect(await page.locator(".frames").count()).toBe(0);
  await press("End");
  await expect.poll(focused).not.toContain("net/http");
  // No key is lost while rows come and go.
  await press("Home", "ArrowDown", "End", "Home");
  await expect.poll(focused).toContain("net/http");
  await press("o");
  expect(await page.locator(".frames").count()).toBeGreaterThan(0);
  await press("x", "x");
  expect(await page.getByTestId("stack").count()).toBe(0);
  await press("4");
  await page.locator(".box").first().focus();
  await press("Tab", "Enter");
  expect(await page.getByRole("button", { name: "Whole graph" }).count()).toBe(1);
  // What the focus is on is told without a pointer.
  await press("Shift+Tab");
  expect(await page.getByTestId("told").innerText()).toBe(await page.locator(":focus").getAttribute("title"));
  await done(page);
});

test("keys lead from a goroutine to its creator and back, and to the tenth view", async () => {
  const page = await open(`${CHANGES}#view=stacks&q=ReadLoop`);
  await page.keyboard.press("0");
  expect(await page.locator("nav [aria-current=page]").innerText()).toBe((await views(page))[9]);
  await done(page);
  const tree = await open(writePage(testdata("traceback/go1.27.3.debug2.txt")));
  await tree.getByRole("button", { name: "Open all" }).click();
  const row = tree.getByTestId("goroutine").filter({ hasText: /created by \d+/ }).filter({ has: tree.locator("a.preview") }).first();
  const creator = /created by (\d+)/.exec(await row.innerText())?.[1];
  await row.focus();
  await tree.keyboard.press("Enter");
  await tree.waitForFunction(() => document.activeElement?.classList.contains("target"));
  expect(await tree.locator(".target .id").innerText()).toBe(creator);
  await tree.keyboard.press("Backspace");
  await tree.locator(".target").waitFor({ state: "detached" });
  // There is nothing to go back to but what was there before the page.
  const address = tree.url();
  await tree.keyboard.press("Backspace");
  await tree.waitForTimeout(100);
  expect(tree.url()).toBe(address);
  // The key is taken as soon as the goroutine has the focus, before it is painted.
  await row.focus();
  await tree.evaluate(() => {
    const back = () => dispatchEvent(new KeyboardEvent("keydown", { key: "Backspace", bubbles: true }));
    addEventListener("focusin", () => queueMicrotask(() => (back(), document.body.classList.add("went-back"))), { once: true });
  });
  await tree.keyboard.press("Enter");
  await tree.locator(".went-back").waitFor();
  await tree.locator(".target").waitFor({ state: "detached" });
  expect(tree.url()).toBe(address);
  // Whoever holds the key down goes back no further, though the first step takes longer than the keys.
  await row.focus();
  await tree.keyboard.press("Enter");
  await tree.waitForFunction(() => document.activeElement?.classList.contains("target"));
  await tree.evaluate(() => {
    for (let i = 0; i < 5; i++) dispatchEvent(new KeyboardEvent("keydown", { key: "Backspace", bubbles: true }));
  });
  await tree.locator(".target").waitFor({ state: "detached" });
  await tree.waitForTimeout(100);
  expect(tree.url()).toBe(address);
  expect(await tree.getByRole("button", { name: "Back" }).count()).toBe(0);
  await done(tree);
});

test("no request leaves the page: who hands it out is asked once, whatever is looked at", async () => {
  const asked: string[] = [];
  const text = readFileSync(new URL(writePage(testdata("modules/goroutine.txt"), testdata("traceback/go1.27.3.debug2.txt"))));
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("Content-Type", "text/html; charset=utf-8").end(text);
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  try {
    const page = await open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page.html`);
    for (const name of await views(page)) if (!NO_VIEWS.includes(name)) await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("button", { name: "Stacks", exact: true }).click();
    await page.getByRole("button", { name: "Open all" }).click();
    await search(page).fill("");
    await page.keyboard.press("End");
    await done(page);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  // Chromium asks for the icon of its window by itself; the policy stops that of pages only.
  expect(asked.filter((path) => path !== "/favicon.ico")).toEqual(["/page.html"]);
  // Names of hosts in links aren't looked up before somebody follows one.
  expect(text.toString()).toContain('<meta http-equiv="x-dns-prefetch-control" content="off" />');
});
