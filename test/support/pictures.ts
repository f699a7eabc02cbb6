/** Pictures of the console, made where CONSOLE_PICTURES names a folder: for looking at, and those of the manual. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { painted } from "../../bench/console/accessibility.ts";
import { SIZES } from "./webBrowser.ts";

const FOLDER = process.env.CONSOLE_PICTURES;

/** In three sizes and both themes. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  const before = page.viewportSize();
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await painted(page);
      await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) });
    }
  }
  if (before !== null) await page.setViewportSize(before);
}
