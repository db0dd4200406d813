import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll } from "vitest";
import { unpack, type Documents } from "../src/document";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = process.env.STACKGAZER ?? join(ROOT, "target/debug/stackgazer");
export const FOLDER = mkdtempSync(join(tmpdir(), "stackgazer-page-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Runs the program. */
export function stackgazer(...args: string[]): string {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} isn't there: run cargo build`);
  const ran = spawnSync(PROGRAM, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
  // A gate that fails and inputs that can't be read leave a whole document behind, too.
  if (ran.stdout === "") throw new Error(`${args.join(" ")}: ${ran.stderr}`);
  return ran.stdout;
}

/** What it says beside its answer. */
export function complaints(...args: string[]): string {
  return spawnSync(PROGRAM, args, { encoding: "utf8", maxBuffer: 1 << 30 }).stderr;
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

/** Writes the page of `export`; its address. */
export function writePage(...args: string[]): string {
  return openable(stackgazer("export", "-o", "html", ...args));
}

/** The same of another command. */
export function pageOf(command: string, ...args: string[]): string {
  return openable(stackgazer(command, "-o", "html", ...args));
}

/** A page that the program wrote, with the script that was built last; its address. */
export function openable(written: string): string {
  return pageWith(/<title>([^<]*)<\/title>/.exec(written)?.[1] ?? "", dataOf(written));
}

/** A page of documents that no program wrote; its address. */
export function pageHolding(documents: Documents): string {
  return pageWith("made", gzipSync(JSON.stringify(documents)).toString("base64"));
}

function pageWith(title: string, data: string): string {
  const page = readFileSync(join(import.meta.dirname, "../page.html"), "utf8")
    .replace("{{title}}", () => title)
    .replace("{{data}}", () => data);
  const file = join(FOLDER, `${pages++}.html`);
  writeFileSync(file, page);
  return `file://${file}`;
}
