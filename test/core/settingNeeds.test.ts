/**
 * Every setting of a stack, changed by somebody who may change the stack and nothing else: on a stack that does nothing
 * by itself, one that approves, and one that plans pull requests. A setting that the table or the manual does not know
 * fails the test (docs/access.md#what-a-setting-makes-happen).
 */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { PatchStackBody } from "../../src/core/stacks/settings.ts";
import type { Grant } from "../support/peopleApi.ts";
import { minimal, test } from "../support/stacksTest.ts";
import { tableOf } from "../support/textTable.ts";

/** `none`: (stack, update) is enough; else what it needs besides, of which each alone is denied. */
const NEEDS = tableOf(`
  setting               quiet    approving  previewing
  name                  none     none       none
  repository_url        none     confirm    preview
  branch                none     confirm    preview
  working_directory     none     confirm    preview
  tool                  none     confirm    preview
  tool_version          none     confirm    preview
  state_mode            none     confirm    preview
  labels                none     confirm    preview
  authz_groups          assign   assign     assign
  pr_plan_mode          preview  preview    none
  auto_approve_mode     confirm  confirm    confirm
  deploy_on_push        deploy   deploy     deploy
  fork_previews         preview  preview    preview
  preview_runner_labels  none     none       preview
  fork_runner_labels    none     none       preview
  pr_requirements       none     none       preview
  hooks                 run      run+confirm  run+preview
  queued_timeout        none     none       none
  confirmation_timeout  none     none       none
  supersede_age         none     none       none
  max_run_duration      none     none       none
`);

const OTHER: Record<string, unknown> = {
  repository_url: "https://git.example/team/other.git",
  branch: "next",
  working_directory: "other",
  tool: "tofu",
  tool_version: "1.11.4",
  state_mode: "hosted",
  labels: { "svc:runner-group:zone": "b" },
  authz_groups: ["team"],
  pr_plan_mode: "auto",
  auto_approve_mode: "non_destructive",
  deploy_on_push: true,
  fork_previews: true,
  preview_runner_labels: { zone: "previews" },
  fork_runner_labels: { zone: "forks" },
  pr_requirements: { plan: ["approved"] },
  hooks: { before_plan: "true" },
  queued_timeout: "PT1H",
  confirmation_timeout: "PT1H",
  supersede_age: "PT1H",
  max_run_duration: "PT1H",
};
const STACKS: Record<string, object> = {
  quiet: {},
  approving: { auto_approve_mode: "auto" },
  previewing: { pr_plan_mode: "auto" },
};

const GRANTS: Record<string, Grant> = { assign: ["stack_authz_group", "assign"], run: ["stack", "run_command"] };

test("every setting is in the table, and in the manual's", () => {
  const settings = Object.keys(PatchStackBody.entries).sort();
  expect(NEEDS.map(({ row }) => row).sort()).toEqual(settings);
  const access = readFileSync(new URL("../../docs/access.md", import.meta.url), "utf8");
  const [, section = ""] = access.split("### What a setting makes happen");
  const rows = section.split("\n### ")[0]!.matchAll(/^\| (`.*?) \|/gm);
  const named = [...rows].flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(settings);
});

test.for(NEEDS)("$row", async ({ row: setting, cells }, { world }) => {
  const update: Grant = ["stack", "update"];
  const alone = await world.holding([update]);
  for (const [kind, settings] of Object.entries(STACKS)) {
    const id = await world.made({ deploy_on_push: false, ...settings });
    const need = cells[kind]!;
    const change = { [setting]: setting === "name" ? minimal().name : OTHER[setting] };
    expect([kind, (await world.patch(id, change, alone)).status]).toEqual([kind, need === "none" ? 200 : 404]);
    if (need === "none") continue;
    const grants = need.split("+").map((word): Grant => GRANTS[word] ?? ["stack", word]);
    for (const left of grants.length > 1 ? grants : []) {
      const some = await world.holding([update, ...grants.filter((grant) => grant !== left)]);
      expect([kind, (await world.patch(id, change, some)).status]).toEqual([kind, 404]);
    }
    const both = await world.patch(id, change, await world.holding([update, ...grants]));
    expect([kind, both.status]).toEqual([kind, 200]);
  }
});

test("switching automation off needs nothing; what it would have worked on cannot be changed along with it", async ({
  world,
}) => {
  const alone = await world.holding([["stack", "update"]]);
  const automatic = { auto_approve_mode: "auto", pr_plan_mode: "auto", fork_previews: true };
  const off = { auto_approve_mode: "manual", pr_plan_mode: "manual", fork_previews: false, deploy_on_push: false };
  const id = await world.made(automatic);
  expect((await world.patch(id, { ...off, branch: "next" }, alone)).status).toBe(404);
  expect((await world.patch(id, { labels: { team: "a" } }, alone)).status).toBe(200);
  expect((await world.patch(id, off, alone)).status).toBe(200);
  expect((await world.patch(id, { branch: "next" }, alone)).status).toBe(200);
});

test("a stack made with automatic previews needs (stack, preview)", async ({ world }) => {
  const create: Grant = ["stack", "create"];
  const alone = await world.holding([create]);
  const both = await world.holding([create, ["stack", "preview"]]);
  for (const settings of [{ pr_plan_mode: "auto" }, { fork_previews: true }]) {
    expect((await world.post(minimal(settings), alone)).status).toBe(403);
    expect((await world.post(minimal(settings), both)).status).toBe(201);
  }
});
