import { expect, test } from "vitest";
import { median, outliers } from "../../src/peers";
import { minutes, ofAll } from "../../src/text";
import { fromFragment, START, toFragment } from "../../src/view";
import { Dump } from "../../src/dump";
import { documents, testdata } from "../export";

test("counts and waits as people write them", () => {
  expect(ofAll(16, 1404)).toBe("16 of 1,404");
  expect(ofAll(1404, 1404)).toBe("1,404");
  expect([0.5, 5, 60, 200, 1440, 3000].map(minutes)).toEqual(["0.5m", "5m", "1h", "3h 20m", "1d", "2d 2h"]);
});

test("one number far from the others differs, and none of many", () => {
  expect(outliers([10, 12, 11, 400], 20)).toEqual(new Set([3]));
  expect(outliers([10, 400, 11, 400], 20)).toEqual(new Set());
  expect(outliers([10, 12, 400], 20)).toEqual(new Set());
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("the address holds the whole view, whatever was typed", async () => {
  const dump = new Dump((await documents(testdata("bundle.zip"))).page);
  const view = {
    ...START,
    query: "a&b=c%#é wait:5+",
    conditions: [{ field: "file" as const, text: "x:y&z", not: true }],
    hiddenInputs: new Set([1]),
    states: new Set(["IO wait"]),
    kinds: new Set(["select"]),
    labels: new Set(["page=/cart items"]),
    sheet: "flame" as const,
    mode: "columns" as const,
    order: "wait" as const,
    goroutine: "n1.20",
  };
  expect(fromFragment(toFragment(view, dump), dump)).toEqual(view);
  expect(toFragment(START, dump)).toBe("");
});
