// How large a page is, how long it takes to stand, a filter to answer, and a view to come; medians of five runs in Chromium, views once.
//   node measure.mjs page.html [QUERY...]
//   node measure.mjs --goroutines 100000 [--stacks 3000]    of a dump that is made for it; fails above the goals
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

const RUNS = 5;
/** For 100,000 goroutines in 3,000 stacks on two cores. */
const GOALS = { firstViewMs: 1500, filterMs: 100, shareOfDump: 0.15 };
const QUERIES = ["net/http", "wait:5+", "17", "select wait:<10"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { goroutines: { type: "string" }, stacks: { type: "string", default: "3000" } },
});
const folder = mkdtempSync(join(tmpdir(), "stackgazer-measure-"));
const tooMuch = [];
try {
  const [file, ...queries] = values.goroutines === undefined ? positionals : [made(values.goroutines, values.stacks), ...positionals];
  await measure(file, queries.length > 0 ? queries : QUERIES);
} finally {
  rmSync(folder, { recursive: true });
}
// More goroutines have to work, and take what they take.
if (values.goroutines !== undefined && Number(values.goroutines) <= 100_000 && tooMuch.length > 0) {
  console.error(`above the goals: ${tooMuch.join(", ")}`);
  process.exit(1);
}

/** A dump of so many goroutines, and its page. */
function made(goroutines, stacks) {
  const root = join(import.meta.dirname, "..");
  const built = ["dist", "release", "debug"].map((profile) => join(root, "target", profile));
  const folderOf = (name) => built.find((one) => existsSync(join(one, name)));
  const program = process.env.STACKGAZER ?? join(folderOf("stackgazer") ?? "", "stackgazer");
  const generate = folderOf("examples/generate");
  if (!existsSync(program) || generate === undefined) throw new Error("run cargo build --release --bin stackgazer --example generate");
  const [dump, page] = [join(folder, "dump.txt"), join(folder, "page.html")];
  execFileSync(join(generate, "examples/generate"), ["--goroutines", goroutines, "--stacks", stacks, "--to", dump]);
  execFileSync(program, ["export", "-o", "html", "--to", page, dump]);
  const share = statSync(page).size / statSync(dump).size;
  console.log(`${goroutines} goroutines in ${stacks} stacks: the page has ${(100 * share).toFixed(1)}% of the dump's size`);
  if (share > GOALS.shareOfDump) tooMuch.push("size");
  return page;
}

async function measure(file, queries) {
  const middle = (times) => times.sort((a, b) => a - b)[times.length >> 1];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const first = [];
  const blocks = [];
  let page;
  for (let run = 0; run < RUNS; run++) {
    await page?.close();
    page = await browser.newPage();
    await page.addInitScript(() => {
      window.longest = 0;
      const longer = (list) => (window.longest = Math.max(window.longest, ...list.getEntries().map(({ duration }) => duration)));
      new PerformanceObserver(longer).observe({ type: "longtask", buffered: true });
      new MutationObserver((_, observer) => {
        if (!document.querySelector("[data-testid=count]")) return;
        observer.disconnect();
        // After what stands in the document is painted.
        requestAnimationFrame(() => setTimeout(() => (window.stands = performance.now())));
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(`file://${resolve(file)}`);
    await page.waitForFunction(() => window.stands, undefined, { timeout: 120_000 });
    first.push(await page.evaluate(() => window.stands));
    // Tasks are told after they have ended.
    await page.waitForTimeout(200);
    blocks.push(await page.evaluate(() => window.longest));
  }
  console.log(`${statSync(file).size} bytes, first view after ${middle(first).toFixed(0)} ms, of which ${middle(blocks).toFixed(0)} ms without a pause`);
  if (middle(first) > GOALS.firstViewMs) tooMuch.push("first view");

  for (const query of queries) {
    const times = [];
    let count = "";
    for (let run = 0; run < RUNS; run++) {
      const answer = (text) =>
        page.evaluate(
          (text) =>
            new Promise((done) => {
              const box = document.querySelector("header input[type=search]");
              const start = performance.now();
              box.value = text;
              box.dispatchEvent(new Event("input", { bubbles: true }));
              requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
            }),
          text,
        );
      await answer("");
      times.push(await answer(query));
      count = await page.locator("[data-testid=count]").innerText();
    }
    console.log(`${query}: ${count} after ${middle(times).toFixed(0)} ms`);
    if (middle(times) > GOALS.filterMs) tooMuch.push(`filter ${query}`);
  }

  await page.locator("header input[type=search]").fill("");
  const views = await page.locator("nav > button:visible").allInnerTexts();
  for (const view of views) {
    const took = await page.evaluate(
      (view) =>
        new Promise((done) => {
          const start = performance.now();
          [...document.querySelectorAll("nav > button")].find((button) => button.innerText === view).click();
          requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
        }),
      view,
    );
    console.log(`${view} after ${took.toFixed(0)} ms`);
  }
  await browser.close();
}
