/**
 * The pictures of the README and the manual, in `docs/pictures`. Run it after the console has changed:
 * `npm run pictures`.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { painted } from "../../bench/console/accessibility.ts";
import { consoleRunsTest } from "../support/consoleRuns.ts";
import { fillWorld } from "../support/consoleWorld.ts";
import { PLANNED, planLines } from "./plan.ts";

const FOLDER = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const test = consoleRunsTest();

async function picture(page: Page, name: string): Promise<void> {
  await page.locator("[data-state=live]").waitFor();
  await page.locator("main [aria-busy=true], main [aria-label^=Loading]").first().waitFor({ state: "detached" });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await painted(page);
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}

// The first, while no other run waits for the runner.
test("a plan that waits for a person, in the dark theme", async ({ open, running }) => {
  const { at, path } = await running("payments-prod", "A database of the newest version");
  await at.upload("plan", Buffer.from("plan"));
  await at.upload("changes", planLines());
  await at.done(PLANNED);
  const { page } = await open(path, { theme: "dark" });
  await page.getByRole("button", { name: /aws_db_instance\.main/ }).waitFor();
  await picture(page, "deployment");
});

test("the home page, in the light theme", async ({ open, world }) => {
  await fillWorld(world.shown);
  const { page } = await open(`/orgs/${world.org}`);
  await page.getByText("Fix moved resource").waitFor();
  await picture(page, "home");
});

test("the queue of a stack, in the dark theme", async ({ open, world }) => {
  const { page } = await open(`/orgs/${world.org}/stacks/network-prod/queue`, { theme: "dark" });
  await page.getByText("Open the port of the metrics").waitFor();
  await picture(page, "queue");
});
