import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Dump } from "../../src/dump";
import { Ids } from "../../src/ids";
import { documents, FOLDER, stackgazer, testdata } from "../export";

test("every goroutine has the id, wait, creator and stack that -o json gives it", async () => {
  const args = [testdata("bundle.zip")];
  const dump = new Dump((await documents(...args)).page);
  const document = JSON.parse(stackgazer("export", ...args, "-o", "json"));
  let seen = 0;
  for (const category of document.categories) {
    for (const stack of category.stacks) {
      for (const input of stack.inputs) {
        for (const group of input.groups) {
          for (const one of group.goroutines ?? []) {
            const at = dump.findFull(`${input.name}.${one.id}`) as number;
            expect(dump.id(at)).toBe(one.id);
            expect(dump.creatorId(at)).toBe(one.created_by);
            expect(dump.waits[at]).toBe(one.wait_minutes ?? NaN);
            expect(dump.state(dump.groupOf[at])).toBe(group.state);
            const own = dump.stackOf(dump.groupOf[at]);
            expect(dump.name(own)).toBe(stack.name);
            expect(dump.frames(own).map((frame) => dump.func(frame))).toEqual(
              stack.frames.map((frame: { func: string }) => frame.func),
            );
            seen++;
          }
        }
      }
    }
  }
  expect(seen).toBe(document.total);
});

test("ids beyond the numbers of JavaScript stay exact", async () => {
  const file = join(FOLDER, "large.txt");
  const ids = ["9007199254740993", "18446744073709551614", "5"];
  const one = (id: string, by: string) =>
    `goroutine ${id} [select]:\nmain.f()\n\t/m.go:1 +0x1\ncreated by main.g in goroutine ${by}\n\t/m.go:2 +0x1\n\n`;
  writeFileSync(file, one(ids[0], ids[1]) + one(ids[1], ids[2]) + one(ids[2], "1"));
  const dump = new Dump((await documents(file)).page);
  for (const id of ids) expect(dump.id(dump.findFull(id) as number)).toBe(id);
  expect(dump.creatorOf(dump.findFull(ids[0]) as number)).toBe(dump.findFull(ids[1]));
  expect(dump.creatorOf(dump.findFull(ids[1]) as number)).toBe(dump.findFull("5"));
  expect(dump.createdBy(dump.findFull(ids[1]) as number)).toEqual([dump.findFull(ids[0])]);
});

test("ids that stand twice, in several inputs or far apart are told apart", async () => {
  const one = (id: string, by: string, name = "f") =>
    `goroutine ${id} [select]:\nmain.${name}()\n\t/m.go:1 +0x1\ncreated by main.g in goroutine ${by}\n\t/m.go:2 +0x1\n\n`;
  const far = Array.from({ length: 300 }, (_, at) => String(at * 2 ** 32 + 7));
  const files = ["a", "b"].map((name) => join(FOLDER, `${name}-ids.txt`));
  writeFileSync(files[0], far.map((id) => one(id, "7")).join(""));
  writeFileSync(files[1], one("7", "1") + one("8", "7") + one("7", "8", "again") + one("9", "7"));
  const dump = new Dump((await documents(...files)).page);
  for (const id of far) expect(dump.fullId(dump.findFull(`a-ids.txt.${id}`) as number)).toBe(`a-ids.txt.${id}`);
  expect(dump.findFull("a-ids.txt.8")).toBe(undefined);
  expect(dump.createdBy(dump.findFull("a-ids.txt.7") as number)).toHaveLength(300);
  const seven = dump.findFull("b-ids.txt.7") as number;
  expect(dump.createdBy(seven).map((at) => dump.id(at))).toEqual(["8", "9"]);
  expect(dump.createdBy(dump.findFull("b-ids.txt.8") as number).map((at) => dump.id(at))).toEqual(["7"]);
  expect(dump.createdBy(dump.findFull("b-ids.txt.9") as number)).toEqual([]);
});

test("one id in many inputs is found in each", () => {
  const inputs = Array.from({ length: 500 }, (_, at) => at);
  const ids = new Ids(new Float64Array(inputs.length).fill(1), new Map(), (at) => at);
  expect(inputs.map((input) => ids.find(input, 1))).toEqual(inputs);
});

test("only what was selected is in the page", async () => {
  const { page } = await documents(testdata("bundle.zip"), "--where", 'state == "select"');
  expect(new Set(page.groups.state.map((state) => page.strings[state]))).toEqual(new Set(["select"]));
  expect(JSON.stringify(page.strings)).not.toContain("RWMutex");
});
