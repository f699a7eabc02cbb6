/** Plans and logs of the size that pages have to bear: nothing is cut off, and what is at their end is found. */
import { expect } from "vitest";
import { longLogChunk, manyChanges } from "../../bench/console/volume.ts";
import { eachAtOnce } from "../../bench/harness/eachAtOnce.ts";
import { LOG_CHUNK_BYTES } from "../../src/core/runs/protocol.ts";
import { consoleRunsTest } from "../support/consoleRuns.ts";
import { PLAN_WITH_CHANGES } from "../support/runnerApi.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = consoleRunsTest();

test("a plan of 10,000 changes has all of them, those that destroy first, and is filtered to one", async ({
  open,
  running,
}) => {
  const { at, path } = await running("large-plan");
  await at.upload("plan", Buffer.from("plan"));
  await at.upload("changes", manyChanges(10_000));
  await at.done(PLAN_WITH_CHANGES);
  const window = await open(path);
  const { page } = window;
  await page.locator("[data-changes='10000']").waitFor({ timeout: 60_000 });
  expect(await page.locator("[data-row]").first().textContent()).toContain("destroy");
  await page.getByRole("searchbox", { name: "Filter changes by address" }).fill("node[9999]");
  await page.locator("[data-changes='1']").waitFor();
  await page.getByText("1 of 10,000").waitFor();
  await page.getByRole("button", { name: /node\[9999\]/ }).click();
  await page.getByText("rules[1].cidr").waitFor();
  // What is looked at can be handed on.
  expect(new URL(page.url()).searchParams.get("filter")).toBe("node[9999]");
  await page.getByRole("searchbox", { name: "Filter changes by address" }).fill("");
  await page.getByRole("checkbox", { name: "by module" }).click();
  await page.locator("[data-changes='10040']").waitFor();
  expectCalm(window);
}, 120_000);

test("a log of 100 MiB is followed to its end, searched as a whole and linked to by line", async ({
  open,
  running,
}) => {
  const { at, path } = await running("long-log");
  const chunks = (100 * 1_048_576) / LOG_CHUNK_BYTES;
  const seal = (index: number) => at.seal(index, longLogChunk(index, LOG_CHUNK_BYTES)).then(() => {});
  const first = [...Array(chunks - 40).keys()];
  await eachAtOnce(first, 8, seal);
  const window = await open(`${path}?tab=log`);
  const { page } = window;
  await page.locator('[data-log="following"]').waitFor({ timeout: 60_000 });
  for (let index = chunks - 40; index < chunks; index++) await seal(index);
  await at.seal(chunks, Buffer.from("the last line of all\n"));
  // The end stays in sight while it comes.
  await page.getByText("the last line of all").waitFor({ timeout: 30_000 });
  await page.getByText(/100\.0 MiB, live/).waitFor();
  await page.getByRole("searchbox", { name: "Search in all of the log" }).fill("the last line of");
  await page.locator('[data-hits="1"]').waitFor();
  await page.getByRole("searchbox", { name: "Search in all of the log" }).fill("59s elapsed, 3]");
  await page.locator("[data-hits]:not([data-hits='1'])").waitFor();
  await page.keyboard.press("Enter");
  await page.locator("[data-marked] mark").first().waitFor();
  const link = await page.locator("[data-marked] a").getAttribute("href");
  await at.done({ status: "failure", error: "It broke." });
  await page.locator('[data-headline="failed"]').waitFor();
  const linked = await open(`${path}${link}`);
  await linked.page.locator("[data-marked]").waitFor({ timeout: 60_000 });
  expect(await linked.page.locator("[data-marked]").textContent()).toContain("59s elapsed, 3]");
  expectCalm(window);
}, 180_000);
