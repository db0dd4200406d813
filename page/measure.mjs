// How long a page takes to stand, and a filter to answer: node measure.mjs page.html [QUERY...]
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const RUNS = 5;
const [file, ...queries] = process.argv.slice(2);
const middle = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

const first = [];
let page;
for (let run = 0; run < RUNS; run++) {
  await page?.close();
  page = await browser.newPage();
  await page.addInitScript(() => {
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
}
console.log(`${file}: ${statSync(file).size} bytes, first view after ${middle(first).toFixed(0)} ms`);

for (const query of queries.length > 0 ? queries : ["net/http", "wait:5+", "17", "select wait:<10"]) {
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
}
await browser.close();
