/** A deployment's page in every state: what it says, which buttons it has, and what they do. */
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import type { DecisionSender } from "../../src/core/deployments/submitDecision.ts";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import type { Service } from "../../src/work/service.ts";
import { consoleTest } from "../support/consoleTest.ts";
import type { ShownStack } from "../support/consoleWorld.ts";
import { decide } from "../support/fixtures.ts";
import { takePictures } from "../support/pictures.ts";
import { waitFor } from "../support/waitFor.ts";
import { expectCalm, openWindow } from "../support/webBrowser.ts";

/** Decisions are carried out at once, as a workflow would. */
let service: Service | undefined;
const sender: DecisionSender = {
  decide: async (_id, _kind, decisionId) => carryOutDecision(service as Service, decisionId, "api"),
};
const base = consoleTest({ sender: sender as never });
const test = base.extend("show", ({ world, open }) => {
  service = world.shown.service;
  return async (stack: ShownStack, id: string, search = "") => {
    const window = await open(`/orgs/${world.org}/stacks/${stack.slug}/deployments/${id}${search}`);
    await window.page.locator("[data-headline]").waitFor();
    return window;
  };
});

const status = (id: string, sql: import("postgres").Sql) =>
  sql`select status, prioritized_at from deployments where id = ${id}`.then(([row]) => row);

test("one that waits is read in both themes, and skipped", async ({ world, show }) => {
  const stack = await world.shown.stack("read");
  const id = await world.shown.planned(stack, "Fix moved resource", { add: 3, destroy: 1, replace: 1 });
  const window = await show(stack, id);
  const { page } = window;
  expect(await page.locator("[data-headline]").textContent()).toBe("Waiting for you");
  await page.getByRole("link", { name: /Changes.*-1.*-\/\+1.*\+3/ }).waitFor();
  for (const tab of ["changes", "text", "log", "events", "dependents", "json"]) {
    await page.goto(`${new URL(page.url()).pathname}?tab=${tab}`);
    await page.locator(`[data-tab="${tab}"]`).waitFor();
    expect(await accessibilityFindings(page), tab).toEqual([]);
  }
  await page.keyboard.press("s");
  await page.getByRole("dialog", { name: "Skip this deployment?" }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.locator("[data-yes]").click();
  await page.locator('[data-headline="skipped"]').waitFor();
  expect((await status(id, world.api.database.sql))?.status).toBe("skipped");
  // This plan's changes, text and log were never stored.
  expectCalm(window, /status of 404/);
});

test("a plan that is made, one with nothing to do and one that was not measured are three things", async ({
  world,
  show,
}) => {
  const making = await world.shown.stack("making");
  const id = await world.shown.deploy(making, "A change");
  const end = await world.shown.begin(id);
  const { page } = await show(making, id, "?tab=changes");
  await page.locator('[data-plan="coming"]').getByText("The plan is being made").first().waitFor();
  expect(await page.getByText("Nothing to do").count()).toBe(0);
  await end({});
  // It is seen to end without anybody asking.
  await page.locator('[data-headline="finished"]').waitFor();
  await page.getByText("Nothing to do").first().waitFor();

  const unmeasured = await world.shown.stack("unmeasured");
  const odd = await world.shown.planned(unmeasured, "Too large", { add: 1 });
  await world.api.database
    .sql`update runs set plan_summary = '{"has_changes": true, "counts": null, "gaps": ["the plan is too large"]}'
    where deployment_id = ${odd}`;
  const second = await show(unmeasured, odd);
  await second.page.locator("[data-unmeasured]").getByText("the plan is too large").waitFor();
  await second.page.getByRole("button", { name: "Apply", exact: true }).click();
  await second.page.getByRole("dialog").getByText("Could not be counted.").waitFor();
});

test("an older plan is opened by its address, says what it is, and is never applied", async ({ world, show }) => {
  const { shown, api } = world;
  const stack = await shown.stack("planned-twice");
  const id = await shown.planned(stack, "Planned twice", { add: 3, destroy: 1 });
  await decide(shown.service, api.database, id, "confirm", { action: "replan", targets: ["a.b"] });
  await (await shown.begin(id))({ counts: { add: 1 } });
  const window = await show(stack, id);
  const { page } = window;
  const plans = page.getByRole("navigation", { name: "Plans of this deployment" });
  const apply = page.getByRole("button", { name: "Apply", exact: true });
  await apply.waitFor();
  expect(await plans.locator("[aria-current]").textContent()).toContain("Plan 2 current");
  await plans.getByRole("link", { name: /^Plan 1 older/ }).click();
  await page.locator("[data-plan-replaced]").waitFor();
  await page.getByRole("link", { name: /Changes.*-1.*\+3/ }).waitFor();
  expect(await page.locator("[data-decision=apply], [data-decision=replan]").count()).toBe(0);
  await takePictures(page, "older-plan");
  await page.getByRole("link", { name: "Plan text" }).click();
  await page.locator("[data-plan-replaced]").waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.reload();
  await page.locator("[data-plan-replaced]").waitFor();
  expect(await apply.count()).toBe(0);
  await page.keyboard.press("a");
  await apply.waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(new URL(page.url()).searchParams.get("plan")).toBeNull();
  expect((await status(id, api.database.sql))?.status).toBe("waiting");
  // Neither plan's changes nor its text were ever stored.
  expectCalm(window, /status of 404/);
});

test("what queues is put first, its stack held and released", async ({ world, show }) => {
  const { shown, api } = world;
  const stack = await shown.stack("busy");
  const holder = await shown.planned(stack, "First", { add: 1 });
  await shown.deploy(stack, "Second");
  const third = await shown.deploy(stack, "Third");
  const window = await show(stack, third);
  const { page } = window;
  await page.getByRole("link", { name: holder.slice(0, 8) }).waitFor();
  const more = async (item: string) => {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await more("Put first in the queue");
  await waitFor(async () => (await status(third, api.database.sql))?.prioritized_at != null, { what: "priority" });
  await page.getByText("number 1 in the queue").waitFor();
  await more("Take the priority back");
  await page.getByText("number 2 in the queue").waitFor();
  await page.keyboard.press("h");
  await page.getByLabel("Reason").fill("the provider has an outage");
  await page.locator("[data-yes]").click();
  await page.getByText("Reason: the provider has an outage").waitFor();
  await more("Release the stack");
  await page.getByText("the provider has an outage").waitFor({ state: "detached" });
  expectCalm(window);
});

test("a cancellation that no runner answers is ended by force, and what failed is deployed again", async ({
  world,
  show,
}) => {
  const { shown, api } = world;
  const stack = await shown.stack("silent");
  const id = await shown.deploy(stack, "Never ends");
  await shown.begin(id);
  const window = await show(stack, id, "?tab=changes");
  const { page } = window;
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel it" }).click();
  await page.getByRole("button", { name: "Force the end..." }).click();
  await page.getByRole("dialog", { name: "End it by force?" }).getByText("written by two at once").waitFor();
  await page.getByRole("button", { name: "End it by force" }).click();
  await page.locator('[data-headline="cancelled"]').waitFor();
  expect((await status(id, api.database.sql))?.status).toBe("cancelled");

  const failed = await shown.failed(await shown.stack("broken"), "A larger instance");
  const broken = await show({ key: "", slug: "broken" }, failed, "?tab=events");
  await broken.page.getByText("UnauthorizedOperation").first().waitFor();
  await api.database.sql`update deployments set created_at = created_at - interval '1 minute' where id = ${failed}`;
  await broken.page.getByRole("button", { name: "Deploy again" }).click();
  await broken.page.waitForURL((url) => !url.pathname.endsWith(failed));
  expectCalm(window);
});

test("a preview's commit is promoted, also where the branch has gone on, once that was read", async ({
  world,
  show,
}) => {
  const { shown, api } = world;
  const stack = await shown.stack("previewed");
  const id = await shown.deploy(stack, "Proposed", { mode: "plan_unlocked", originType: "manual" });
  await (await shown.begin(id))({ counts: { add: 1 } });
  const window = await show(stack, id);
  const { page } = window;
  expect(await page.locator("[data-headline]").textContent()).toBe("Planned");
  expect(await page.locator("[data-decision=promote]").count()).toBe(0);
  await api.database
    .sql`update deployments set origin_pr_number = 7, origin_pr_url = 'https://git.example/7' where id = ${id}`;
  const request = {
    number: 7,
    head_sha: "a".repeat(40),
    latest_deployment_id: id,
    preview_is_current: true,
    unmet_requirements: [],
  };
  await page.route("**/pull-requests?*", (route) => route.fulfill({ json: { items: [request], next_cursor: null } }));
  const asked: string[] = [];
  await page.route("**/pull-requests/7/promote*", async (route) => {
    asked.push(new URL(route.request().url()).search);
    const problem = {
      type: "about:blank",
      title: "Conflict",
      status: 409,
      code: "base_diverged",
      detail: "It takes back.",
    };
    const contentType = "application/problem+json";
    if (asked.length === 1) await route.fulfill({ status: 409, contentType, body: JSON.stringify(problem) });
    else await route.fulfill({ status: 201, json: { id } });
  });
  await page.reload();
  await page.getByRole("button", { name: "Promote" }).click();
  await page.locator("[data-yes]").click();
  await page.getByText("It takes back.").waitFor();
  await page.getByRole("button", { name: "Promote all the same" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(asked).toEqual(["", "?force=true"]);
  expectCalm(window, /status of 40[49]/);
});

test("who may only read it gets no button, and its keys do nothing", async ({ world, browser }) => {
  const { shown, api, org } = world;
  const stack = await shown.stack("guarded");
  const id = await shown.planned(stack, "Guarded", { add: 1 });
  const { user } = await api.makeUser({ orgs: [org], grants: [["stack", "read"]] });
  const sessionToken = await createSession(api.database.db, user);
  const window = await openWindow(browser, { baseUrl: api.baseUrl, sessionToken });
  const { page } = window;
  await page.goto(`/orgs/${org}/stacks/${stack.slug}/deployments/${id}`);
  await page.getByText("Waiting for somebody who may confirm", { exact: true }).waitFor();
  expect(await page.locator("[data-decision], [aria-label=More]").count()).toBe(0);
  for (const key of ["a", "s", "r"]) await page.keyboard.press(key);
  expect(await page.getByRole("dialog").count()).toBe(0);
  // Taken back while the page is open.
  await decide(shown.service, api.database, id, "skip");
  await page.locator('[data-headline="skipped"]').waitFor();
  await window.context.close();
});

test("one that lacks an approval is reviewed, and can be applied then", async ({ world, show }) => {
  const { sql } = world.api.database;
  const stack = await world.shown.stack("reviewed", { env: "reviewed" });
  await sql`insert into approval_rules (org_id, name, selector, modes, previews, destructive, count, approvers)
    values (${world.org}, 'one', '{"env": "reviewed"}', '{plan}', false, false, 1, '{"roles": [], "groups": [], "service_accounts": []}')`;
  const id = await world.shown.deploy(stack, "Widen the network", { actor: null, commitAuthor: "nobody known" });
  await (await world.shown.begin(id))({ counts: { add: 1 } });
  const { page } = await show(stack, id);
  await page.locator('[data-approvals="missing"]').getByText("could: Ada").waitFor();
  expect(await page.locator("[data-headline]").textContent()).toBe("Waiting for approvals");
  const apply = page.getByRole("button", { name: "Apply", exact: true });
  expect(await apply.count()).toBe(0);
  await page.goto(`/orgs/${world.org}`);
  await page.getByRole("region", { name: "Needs your review" }).getByText("Widen the network").waitFor();
  await page.goBack();
  await page.locator('[data-decision="review"]').click();
  await page.getByRole("dialog", { name: "Review this plan" }).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByLabel("Comment").fill("Looks right.");
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.locator('[data-approvals="given"]').getByText("Looks right.").waitFor();
  await apply.waitFor();
});

test("a rule is made and deleted in the settings", async ({ world, open }) => {
  const { sql } = world.api.database;
  const [robot] = await sql`insert into service_accounts (org_id, name) values (${world.org}, 'robot') returning id`;
  const [source] =
    await sql`insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
    values (${world.org}, 'oidc', 'acme', 'Acme', 'https://idp.example', 'c', 'groups') returning id`;
  const { page } = await open(`/orgs/${world.org}/settings?dialog=rule-new`);
  await page.getByRole("dialog", { name: "New approval rule" }).waitFor();
  await page.getByLabel("Name").fill("production");
  await page.getByLabel("Labels that a stack must have").fill("env=prod");
  await page.getByLabel("Approvals", { exact: true }).fill("2");
  await page.getByLabel("robot").check();
  await page.getByLabel("By people of these groups of Acme").fill("platform\n\nsecurity");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Make the rule" }).click();
  await page.getByRole("row", { name: /production.*env.*prod.*2/ }).waitFor();
  const [made] = await sql`select approvers from approval_rules where org_id = ${world.org} and name = 'production'`;
  expect(made?.approvers).toEqual({
    roles: [],
    groups: ["platform", "security"].map((group_key) => ({ identity_source_id: source?.id, group_key })),
    service_accounts: [robot?.id],
  });
  await page.getByRole("button", { name: "Delete production" }).click();
  await page.getByRole("button", { name: "Delete the rule" }).click();
  await page.getByRole("row", { name: /production/ }).waitFor({ state: "detached" });
});
