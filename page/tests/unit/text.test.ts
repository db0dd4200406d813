import { expect, test } from "vitest";
import { median, outliers } from "../../src/peers";
import { amountText, changeText } from "../../src/amount";
import { minutes } from "../../src/text";
import { fromFragment, startOf, toFragment } from "../../src/view";
import { Dump } from "../../src/dump";
import { documents, testdata } from "../export";

test("counts and waits as people write them", () => {
  expect(amountText(1404)).toBe("1,404");
  expect([0.5, 5, 60, 200, 1440, 3000].map(minutes)).toEqual(["0.5m", "5m", "1h", "3h 20m", "1d", "2d 2h"]);
});

test("values are in the unit that suits them, as the program writes them", () => {
  const texts = [0, 512, 1536, -1048576, 9439739].map((value) => amountText(value, "bytes"));
  expect(texts).toEqual(["0", "512 B", "1.50 KiB", "-1.00 MiB", "9.00 MiB"]);
  expect([160_000_000, 1, 3_600_000_000_000].map((value) => amountText(value, "nanoseconds"))).toEqual(["160 ms", "1 ns", "60.0 min"]);
  expect(amountText(7, "widgets")).toBe("7 widgets");
  expect([28, -1536, 0].map((by) => changeText(by, "bytes"))).toEqual(["+28 B", "-1.50 KiB", "0"]);
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
    ...startOf(dump),
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
    func: "main.main",
  };
  expect(fromFragment(toFragment(view, dump), dump)).toEqual(view);
  expect(toFragment(startOf(dump), dump)).toBe("");
});
