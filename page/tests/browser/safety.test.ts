import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FOLDER, testdata, writePage } from "../export";
import { count, done, open, search } from "./browser";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const BUNDLE = writePage(testdata("bundle.zip"));
const SHEETS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

test("hostile names run nothing, wherever they stand", async () => {
  const evil = (place: string) => `<img/src=x/onerror=window.hit="${place}"></script><script>window.hit="${place}"</script>`;
  const file = join(FOLDER, `<b>evil"'&.txt`);
  const header = `goroutine 1 [${evil("state").replaceAll("]", "")}, 9 minutes, ${evil("flag")}]:`;
  const frames = `main.${evil("func")}(...)\n\t/${evil("file")}.go:7 +0x1\ncreated by ${evil("creator")} in goroutine 2\n\t/x.go:1 +0x1\n`;
  writeFileSync(file, `panic: ${evil("panic")}\n\n${header}\n${frames}\ngoroutine 2 [select {"k<i>": "${evil("label").replaceAll('"', "'")}"}]:\n${frames}`);
  const address = writePage(file, file, "--title", `</title><script>window.hit="title"</script>`);
  const page = await open(address);
  expect(await page.title()).toBe(`</title><script>window.hit="title"</script>`);
  for (const sheet of SHEETS) {
    await page.keyboard.press(sheet);
    if (sheet === "1") await page.getByRole("button", { name: "Open all" }).click();
    await page.waitForTimeout(50);
  }
  await search(page).fill("<img/src=x");
  expect(await page.evaluate(() => (window as { hit?: string }).hit)).toBe(undefined);
  expect(await page.locator("img, b, i, #page script").count()).toBe(0);
  await done(page);
});

test("the policy allows the page's own script and style and nothing else", async () => {
  const page = await open(BUNDLE);
  const policy = await page.locator("meta[http-equiv]").getAttribute("content");
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

test.each(["light", "dark"] as const)("axe finds no serious fault in the %s theme", async (colorScheme) => {
  const page = await open(BUNDLE, { colorScheme, bypassCSP: true });
  await page.addScriptTag({ path: AXE });
  const faults = () =>
    page.evaluate(async () => {
      type Result = { id: string; impact: string; nodes: { html: string }[] };
      const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Result[] }> } };
      const { violations } = await axe.run();
      const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      return bad.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
    });
  for (const sheet of SHEETS) {
    await page.keyboard.press(sheet);
    if (sheet === "1") await page.getByRole("button", { name: "Open all" }).click();
    await page.waitForTimeout(100);
    expect(await faults(), `view ${sheet}`).toEqual([]);
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  expect(await faults(), "help").toEqual([]);
  await page.context().close();
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
  const last = await focused();
  await press("Home");
  expect(await focused()).toContain("net/http");
  expect(last).not.toContain("net/http");
  await press("o");
  expect(await page.locator(".frames").count()).toBeGreaterThan(0);
  await press("x", "x");
  expect(await page.getByTestId("stack").count()).toBe(0);
  await press("4");
  await page.locator(".box").first().focus();
  await press("Tab", "Enter");
  expect(await page.getByRole("button", { name: "Whole graph" }).count()).toBe(1);
  await done(page);
});
