import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testdata, writePage } from "../export";
import { count, done, open, search } from "./browser";

/** The picture at the top of README.md. */
const FILE = join(import.meta.dirname, "../../picture.webp");
/** Fonts of another system change letters; of squares of this size the mean changes little. */
const SQUARE = 40;
/** Of 255; what letters of another font come to. Another view comes to more. */
const ALIKE = 5;

type Page = Awaited<ReturnType<typeof open>>;

/** How far the brightness of two pictures is apart, in the mean of all squares. */
function distance(page: Page, pictures: string[]): Promise<number> {
  return page.evaluate(
    async ({ pictures, square }) => {
      const squares = async (picture: string) => {
        const bytes = Uint8Array.from(atob(picture), (char) => char.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes]));
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        context.drawImage(image, 0, 0);
        const means = [];
        for (let y = 0; y + square <= image.height; y += square) {
          for (let x = 0; x + square <= image.width; x += square) {
            const { data } = context.getImageData(x, y, square, square);
            means.push(data.reduce((sum, value) => sum + value, 0) / data.length);
          }
        }
        return means;
      };
      const [one, other] = await Promise.all(pictures.map(squares));
      if (one.length !== other.length) return 255;
      return one.reduce((sum, mean, at) => sum + Math.abs(mean - other[at]), 0) / one.length;
    },
    { pictures, square: SQUARE },
  );
}

/** The same picture in half the bytes. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate(async (png) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (char) => char.charCodeAt(0))]));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.7);
  }, png.toString("base64"));
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

test("the picture in the README is what the page looks like", async () => {
  const page = await open(writePage(testdata("bundle.zip")), { viewport: { width: 1160, height: 680 }, colorScheme: "light" });
  await search(page).fill("wait:5+");
  expect(await count(page)).toBe("222 of 888");
  await page.locator(".row.category").filter({ hasText: "store" }).locator(".count").waitFor();
  await search(page).blur();
  const shot = await page.screenshot({ animations: "disabled", caret: "hide" });
  if (process.env.STACKGAZER_BLESS !== undefined) writeFileSync(FILE, await asWebp(page, shot));
  const kept = readFileSync(FILE);
  expect(kept.length).toBeLessThan(100 * 1024);
  const apart = (other: Buffer) => distance(page, [kept, other].map((picture) => picture.toString("base64")));
  expect(await apart(shot), "STACKGAZER_BLESS=1 makes it anew; look at it").toBeLessThan(ALIKE);
  await page.getByRole("button", { name: "Flame graph" }).click();
  expect(await apart(await page.screenshot())).toBeGreaterThan(ALIKE);
  await done(page);
});
