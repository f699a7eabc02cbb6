/** What people do in the console, each measured by itself. */
import type postgres from "postgres";
import { percentile } from "../harness/statistics.ts";
import { type BenchWindow, largestPaint, longestTask, scrollFrames, shownAfter, slowLine, takes } from "./window.ts";

export const CHANGE_COUNT = 10_000;
const HINTS = 30;

/** KiB that come over a line of 10 Mbit/s, and when the largest part of the page is painted. */
export async function firstLoad(window: BenchWindow, path: string) {
  await slowLine(window);
  let bytes = 0;
  window.devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await window.page.goto(path, { waitUntil: "commit" });
  await shownAfter(window.page, "main h1");
  return { paint: await largestPaint(window.page), kib: bytes / 1_024 };
}

export async function tenThousandChanges({ page }: BenchWindow, path: string) {
  await page.goto(`${path}?tab=changes`, { waitUntil: "commit" });
  const first = await shownAfter(page, "[data-changes]");
  const all = await shownAfter(page, `[data-changes="${CHANGE_COUNT}"]`);
  const scroll = percentile(await scrollFrames(page, "window.scrollBy(0, 300)"), 0.95);
  const filter = await takes(page, typed('eu-7"] node[1'), `[data-changes]:not([data-changes="${CHANGE_COUNT}"])`);
  return { first, all, scroll, filter };
}

export async function longLog({ page }: BenchWindow, path: string) {
  await page.goto(`${path}?tab=log`, { waitUntil: "commit" });
  const first = await shownAfter(page, "[data-line]");
  const whole = await shownAfter(page, '[data-log="ended"]');
  const search = await takes(page, typed("59s elapsed, 1599]"), "[data-hits]");
  return { first, whole, search };
}

export async function manyStacks({ page }: BenchWindow, path: string): Promise<number> {
  await page.goto(path, { waitUntil: "commit" });
  return shownAfter(page, "main [data-row]");
}

export async function drawnGraph({ page }: BenchWindow, path: string, drawn: number) {
  await page.goto(path, { waitUntil: "commit" });
  const shown = await shownAfter(page, `[data-drawn="${drawn}"]`);
  return { shown, blocked: await longestTask(page) };
}

/** From the commit of a change in the database until the page shows it. */
export async function changeToPixels({ page }: BenchWindow, path: string, id: string, sql: postgres.Sql) {
  await page.goto(`${path}?tab=events`, { waitUntil: "commit" });
  await shownAfter(page, "[data-headline]");
  await shownAfter(page, "[data-state=live]");
  const samples: number[] = [];
  for (let at = 0; at < HINTS; at++) {
    const title = `change ${at}`;
    await sql`update deployments set commit_message = ${title} where id = ${id}`;
    const started = performance.now();
    await page.locator("h1", { hasText: title }).waitFor();
    samples.push(performance.now() - started);
  }
  return samples;
}

/** A script that fills the search of the page in one go. */
function typed(text: string): string {
  return `const field = document.querySelector("main input[type=search]");
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, ${JSON.stringify(text)});
    field.dispatchEvent(new Event("input", { bubbles: true }))`;
}
