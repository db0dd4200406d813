import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpack, type Documents } from "../src/document";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = process.env.STACKGAZER ?? join(ROOT, "target/debug/stackgazer");
export const FOLDER = mkdtempSync(join(tmpdir(), "stackgazer-page-"));

/** Runs the program. */
export function stackgazer(...args: string[]): string {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} isn't there: run cargo build`);
  const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
  return execFileSync(PROGRAM, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio });
}

export function testdata(name: string): string {
  return join(ROOT, "testdata", name);
}

const DATA = /<script type="application\/octet-stream" id="data">([^<]*)<\/script>/;

function dataOf(page: string): string {
  const found = DATA.exec(page);
  if (!found) throw new Error("the page holds no data");
  return found[1];
}

/** What `export -o html` writes into the page. */
export async function documents(...args: string[]): Promise<Documents> {
  return unpack(dataOf(stackgazer("export", "-o", "html", ...args)));
}

let pages = 0;

/** Writes a page: the data of the program in page.html as it was built last; its address. */
export function writePage(...args: string[]): string {
  const written = stackgazer("export", "-o", "html", ...args);
  const title = /<title>([^<]*)<\/title>/.exec(written)?.[1] ?? "";
  const page = readFileSync(join(import.meta.dirname, "../page.html"), "utf8")
    .replace("{{title}}", () => title)
    .replace("{{data}}", () => dataOf(written));
  const file = join(FOLDER, `${pages++}.html`);
  writeFileSync(file, page);
  return `file://${file}`;
}
