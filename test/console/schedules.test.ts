/** What comes by itself in the console: schedules, drift, and the end of a stack. */
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { driftWorld, refreshed } from "../support/driftTest.ts";
import { takePictures } from "../support/pictures.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = consoleTest();

test("a schedule is made, paused and deleted", async ({ open, world }) => {
  await world.shown.stack("nightly-prod");
  const window = await open(`/orgs/${world.org}/stacks/nightly-prod/schedules`);
  const { page } = window;
  await page.getByText("Nothing comes by itself").waitFor();
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = page.getByRole("dialog", { name: "New schedule of nightly-prod" });
  await dialog.getByLabel("Name").fill("nightly");
  await dialog.getByLabel("What").selectOption("raw");
  await dialog.getByLabel("Script").fill("echo canary");
  await dialog.getByLabel("Time zone").fill("Europe/Berlin");
  await takePictures(page, "schedule-new");
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Schedule" }).click();
  const list = page.getByRole("list", { name: "Schedules" });
  await list.getByText("0 3 * * 1-5 (Europe/Berlin)").waitFor();
  await page.reload();
  await list.getByText("0 3 * * 1-5 (Europe/Berlin)").waitFor();
  await takePictures(page, "schedules-one");
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(await page.content()).not.toContain("canary");
  await page.getByRole("button", { name: "Pause nightly" }).click();
  await list.getByText("Paused").waitFor();
  await page.getByRole("button", { name: "Delete nightly" }).click();
  const ask = page.getByRole("dialog", { name: "Delete the schedule nightly" });
  await ask.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing comes by itself").waitFor();
  expectCalm(window);
});

test("drift is told on the stack and over all of them, and another look is asked for", async ({ open, world }) => {
  const { shown, api, org } = world;
  const drift = driftWorld(api.database, shown.service, shown.org);
  const stackKey = await drift.applied({ name: "drifted-prod", slug: "drifted-prod" });
  await drift.check(stackKey, refreshed("aws_instance.web"));
  const window = await open(`/orgs/${org}/drift`);
  const { page } = window;
  await page.getByRole("list", { name: "Stacks that are checked" }).getByText("1 resource").waitFor();
  await takePictures(page, "drift-fleet");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "drifted-prod" }).click();
  await page.getByRole("table", { name: "Drifted resources" }).getByText("aws_instance.web").waitFor();
  await page.getByText("every P1D, by the stack's own policy").waitFor();
  await takePictures(page, "drift-stack");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("A check was asked for").first().waitFor();
  expect((await drift.row(stackKey)).asked).toBe(true);
  expectCalm(window);
});

test("that a stack ends is above its tabs, and it is prolonged with a reason", async ({ open, world }) => {
  const { shown, api, org } = world;
  const { key } = await shown.stack("demo-prod");
  const { sql } = api.database;
  await sql`update stacks set expires_at = svc_now() + interval '3 days' where stack_key = ${key}`;
  await sql`insert into stack_lifetimes (stack_key, org_id, remind_ms, reason, set_by, set_by_kind, due_at)
    values (${key}, ${org}, 86400000, 'for the demo', ${world.user}, 'user', svc_now())`;
  const window = await open(`/orgs/${org}/stacks/demo-prod`);
  const { page } = window;
  await page.getByText("Reason: for the demo.").waitFor();
  await takePictures(page, "lifetime");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Prolong" }).click();
  const dialog = page.getByRole("dialog", { name: "Prolong demo-prod" });
  await dialog.getByLabel("Why").fill("the customer is late");
  await dialog.getByRole("button", { name: "Prolong" }).click();
  await page.getByText("Reason: the customer is late.").waitFor();
  const [row] =
    await sql`select expires_at > svc_now() + interval '9 days' as later from stacks where stack_key = ${key}`;
  expect(row?.later).toBe(true);
  expectCalm(window);
});

test("a schedule of all stacks of a label is made from one of them, and paused there", async ({ open, world }) => {
  await world.shown.stack("weekly-dev", { env: "dev" });
  const window = await open(`/orgs/${world.org}/stacks/weekly-dev/schedules`);
  const { page } = window;
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = page.getByRole("dialog", { name: "New schedule of weekly-dev" });
  await dialog.getByLabel("Name").fill("weekly");
  await dialog.getByLabel("On", { exact: true }).selectOption("labels");
  expect(await dialog.getByLabel("Labels that a stack must have").inputValue()).toBe("env=dev");
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Schedule" }).click();
  const list = page.getByRole("list", { name: "Schedules" });
  await list.getByText("of the organization").waitFor();
  await page.getByRole("button", { name: "Pause weekly" }).click();
  await list.getByText("Paused").waitFor();
  await page.getByRole("button", { name: "Delete weekly" }).click();
  await page.getByText("It does not come any more on any stack.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing comes by itself").waitFor();
  expectCalm(window);
});

test("a policy is made, given rules that count, and deleted", async ({ open, world }) => {
  const window = await open(`/orgs/${world.org}/policies`);
  const { page } = window;
  await page.getByText("Whoever may confirm decides alone.").waitFor();
  await page.getByRole("button", { name: "New policy" }).click();
  const made = page.getByRole("dialog", { name: "New policy" });
  await made.getByLabel("Name").fill("databases");
  await made.getByLabel("What it says").selectOption("mandatory");
  await made.getByLabel("Labels that a stack must have").fill("env=prod");
  expect(await accessibilityFindings(page)).toEqual([]);
  await made.getByRole("button", { name: "Make the policy" }).click();
  await page.getByText("No version counts: it says nothing.").waitFor();
  await page.getByRole("button", { name: "New rules" }).click();
  const rules = page.getByRole("dialog", { name: "Rules of databases" });
  await rules.getByLabel("Types that may not be destroyed").fill("aws_db_*");
  await rules.getByLabel("Destroys at most").fill("5");
  await rules.getByLabel("Hours at which plans are applied").fill("mon,tue 09:00-17:00");
  await rules.getByLabel("Time zone").fill("Europe/Berlin");
  await takePictures(page, "policy-rules");
  // As the last look left it first: what is below the fold keeps the colours of before.
  expect(await accessibilityFindings(page, ["dark", "light"])).toEqual([]);
  await rules.getByRole("button", { name: "Store as a new version" }).click();
  await page.getByRole("list", { name: "Versions" }).getByText("rules").waitFor();
  await page.getByRole("button", { name: "Change" }).click();
  const change = page.getByRole("dialog", { name: "Policy databases" });
  await change.getByLabel("Version that counts").selectOption("1");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByText("Version 1 counts.").waitFor();
  await page.reload();
  await page.getByText("Version 1 counts.").waitFor();
  await takePictures(page, "policy-one");
  expect(await accessibilityFindings(page)).toEqual([]);
  const [stored] = await world.api.database.sql`
    select p.enforcement, p.selector, v.rules from policies p join policy_versions v on v.policy_id = p.id and v.version = p.version
    where p.org_id = ${world.org}`;
  expect(stored).toMatchObject({
    enforcement: "mandatory",
    selector: { env: "prod" },
    rules: {
      ...{ protected_types: ["aws_db_*"], max_destroys: 5, attention: [] },
      windows: { time_zone: "Europe/Berlin", open: [{ days: ["mon", "tue"], from: "09:00", to: "17:00" }] },
    },
  });
  await page.getByRole("button", { name: "Delete" }).click();
  const ask = page.getByRole("dialog", { name: "Delete databases" });
  await ask.getByLabel("Type databases to go on").fill("databases");
  await ask.getByRole("button", { name: "Delete the policy" }).click();
  await page.getByText("Whoever may confirm decides alone.").waitFor();
  expectCalm(window);
});
