import { expect, test } from "vitest";
import type { Documents } from "../../src/document";
import { documents, pageHolding, testdata } from "../export";
import { count, done, open, search } from "./browser";

const COPIES = 564;
/** Further apart than any two ids of the bundle. */
const APART = 1_000_000;

/** The same document with every goroutine so often, each with an id of its own. */
function repeated(all: Documents): Documents {
  const { groups, goroutines } = all.page;
  const columns = { id: [] as number[], creator: [] as number[], wait: [] as (number | null)[] };
  let start = 0;
  for (const listed of groups.listed) {
    const [end, many] = [start + listed, { id: 0, creator: 0 }];
    for (let copy = 0; copy < COPIES; copy++) {
      const here = { id: 0, creator: 0 };
      for (let at = start; at < end; at++) {
        here.id += goroutines.id[at];
        here.creator += goroutines.creator[at];
        const [id, creator] = [here.id + copy * APART, here.creator === 0 ? 0 : here.creator + copy * APART];
        columns.id.push(id - many.id);
        columns.creator.push(creator - many.creator);
        columns.wait.push(goroutines.wait[at]);
        Object.assign(many, { id, creator });
      }
    }
    start = end;
  }
  const often = (counts: number[]) => counts.map((count) => count * COPIES);
  return {
    ...all,
    page: {
      ...all.page,
      groups: { ...groups, count: often(groups.count), listed: often(groups.listed) },
      goroutines: { ...goroutines, ...columns },
    },
  };
}

test("half a million goroutines work in every view", async () => {
  const page = await open(pageHolding(repeated(await documents(testdata("bundle.zip")))));
  const of = (goroutines: number) => (goroutines * COPIES).toLocaleString("en-US");
  expect(await count(page)).toBe(of(888));
  await search(page).fill("wait:5+");
  await expect.poll(() => count(page)).toBe(`${of(222)} of ${of(888)}`);
  await page.getByRole("button", { name: "Open all" }).click();
  await page.getByTestId("goroutine").first().waitFor();
  for (const name of ["Functions", "Flame graph", "Waits", "Locks", "Stacks by input"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("region", { name }).waitFor();
  }
  await page.getByRole("button", { name: "Who created whom", exact: true }).click();
  await page.getByTestId("node").first().waitFor();
  await page.getByRole("button", { name: "Picture" }).click();
  await page.locator(".box").first().waitFor();
  await done(page);
});
