/** The state of a stack in the console: where it is, its lock, its versions, and what may be done with them. */
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { takePictures } from "../support/pictures.ts";
import { state } from "../support/stateTest.ts";
import { expectCalm } from "../support/webBrowser.ts";

const made = (name: string, input: string) => ({
  ...{ mode: "managed", type: "terraform_data", name, provider: 'provider["terraform.io/builtin/terraform"]' },
  instances: [{ schema_version: 0, attributes: { id: name, input } }],
});
const FIRST = state(1, { resources: [made("vpc", "10.0.0.0/16")] });
const SECOND = state(2, { resources: [made("vpc", "10.1.0.0/16"), made("subnet", "a")] });

const test = consoleTest().extend("kept", { scope: "file" }, async ({ world }) => {
  const { api, org, shown } = world;
  const { token } = await api.makeAccount(org, [["*", "*"]]);
  const send = async (slug: string, method: string, at: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${api.baseUrl}/api/v1/orgs/${org}/stacks/${slug}/state${at}`, init);
    if (!answer.ok) throw new Error(`${method} ${at} answered ${answer.status}: ${await answer.text()}`);
  };
  const lock = (slug: string) =>
    send(slug, "PUT", "/lock", { ID: "left", Who: "ada@laptop", Operation: "OperationTypeApply" });
  const stack = async (name: string) => {
    const { key } = await shown.stack(name);
    await lock(name);
    for (const version of [FIRST, SECOND]) await send(name, "POST", "?ID=left", version);
    await send(name, "DELETE", "/lock?ID=left");
    return key;
  };
  return { stack, lock };
});

const at = (org: string, slug: string, tab = "state") => `/orgs/${org}/stacks/${slug}/${tab}`;

test("versions are compared by name, downloaded, and brought back with a reason", async ({ open, world, kept }) => {
  await kept.stack("network-prod");
  const window = await open(at(world.org, "network-prod"));
  const { page } = window;
  await page.getByText("Kept here").waitFor();
  await page.getByText(/^2, serial 2$/).waitFor();
  await takePictures(page, "state");
  expect(await accessibilityFindings(page)).toEqual([]);

  await page.getByRole("link", { name: /^Version 2/ }).click();
  const differences = page.getByRole("list", { name: "Differences" });
  await differences.getByText("terraform_data.subnet").waitFor();
  expect(await differences.getByRole("listitem").allTextContents()).toEqual([
    "Addedterraform_data.subnet",
    "Changedterraform_data.vpcinput",
  ]);
  await expect.poll(() => page.url()).toMatch(/\?to=/);
  await takePictures(page, "state-difference");
  expect(await accessibilityFindings(page)).toEqual([]);

  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download version 1" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("network-prod-1.tfstate");
  expect(JSON.parse(await readFile(await download.path(), "utf8"))).toEqual(FIRST);

  await page.getByRole("button", { name: "Roll back version 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Roll network-prod back to version 1" });
  await dialog.getByText("1 forgotten").waitFor();
  await dialog.getByText("Infrastructure is not touched").waitFor();
  expect(await dialog.getByRole("button", { name: "Roll back" }).isDisabled()).toBe(true);
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByLabel("Why").fill("a bad import");
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await page.getByText("rolled back to version 1").waitFor();
  await page.getByText(/^3, serial 1$/).waitFor();
  expectCalm(window);
});

test("a lock that was left says whose it is, and is taken away with a reason", async ({ open, world, kept }) => {
  await kept.stack("database-prod");
  await kept.lock("database-prod");
  const window = await open(at(world.org, "database-prod"));
  const { page } = window;
  await page.getByText("ada@laptop").waitFor();
  await page.getByText("OperationTypeApply").waitFor();
  await page.getByRole("button", { name: "Force unlock" }).click();
  const dialog = page.getByRole("dialog", { name: "Force unlock database-prod" });
  await dialog.getByText(/cannot store what it has changed/).waitFor();
  await takePictures(page, "state-unlock");
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByLabel("Why").fill("the laptop is gone");
  await dialog.getByRole("button", { name: "Take the lock away" }).click();
  await page.getByText("Nobody has it").waitFor();
  const entries = await world.api.database.sql`
    select actor_id, details ->> 'reason' as reason from audit_log where action = 'state.force_unlock'`;
  expect([...entries]).toEqual([{ actor_id: world.user, reason: "the laptop is gone" }]);
  expectCalm(window);
});

test("who may only read is offered no change, and who may not read it is told so", async ({ open, world, kept }) => {
  const { api, org } = world;
  await kept.stack("dns");
  await kept.lock("dns");
  const reader = await api.makeUser({
    orgs: [org],
    grants: [
      ["org", "read"],
      ["stack", "read"],
      ["stack", "read_state"],
    ],
  });
  const reading = await open(at(org, "dns"), { signedIn: reader.user });
  await reading.page.getByText("ada@laptop").waitFor();
  await reading.page.getByRole("link", { name: "Download version 1" }).waitFor();
  expect(await reading.page.getByRole("button", { name: /Force unlock|Roll back/ }).count()).toBe(0);
  expectCalm(reading);

  const viewer = await api.makeUser({
    orgs: [org],
    grants: [
      ["org", "read"],
      ["stack", "read"],
    ],
  });
  const viewing = await open(at(org, "dns"), { signedIn: viewer.user });
  await viewing.page.getByText("Not allowed").waitFor();
  expect(await viewing.page.getByText("ada@laptop").count()).toBe(0);
  expect(await accessibilityFindings(viewing.page)).toEqual([]);
  expectCalm(viewing);
});

test("a stack that keeps its state elsewhere says so, and its settings change that", async ({ open, world }) => {
  const { api, org, shown } = world;
  const { key } = await shown.stack("registry");
  await api.database.sql`update stacks set state_mode = 'own' where stack_key = ${key}`;
  const window = await open(at(org, "registry"));
  const { page } = window;
  await page.getByText("Kept elsewhere").waitFor();
  await page.getByText("No version yet").waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("region", { name: "Where it is" }).getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("State is kept").selectOption("hosted");
  await page.getByRole("button", { name: "Save 1 change" }).click();
  await page.getByText("The settings are saved").first().waitFor();
  const [row] = await api.database.sql`select state_mode from stacks where stack_key = ${key}`;
  expect(row?.state_mode).toBe("hosted");
  expectCalm(window);
});

test("its resources are found by a part of their address", async ({ open, world, kept }) => {
  const { api, org } = world;
  const stack_key = await kept.stack("monitoring");
  const resource = (name: string) => ({
    ...{ org_id: org, stack_key, mode: "managed", type: "terraform_data", realm: "none" },
    ...{ address: `terraform_data.${name}`, provider: "terraform.io/builtin/terraform" },
    ...{ identity: name, identity_hash: Buffer.from(name) },
  });
  const { sql } = api.database;
  for (const name of ["vpc", "subnet"]) await sql`insert into explore.resources ${sql(resource(name))}`;
  const window = await open(at(org, "monitoring", "resources"));
  const { page } = window;
  const list = page.getByRole("list", { name: "Resources" });
  await expect.poll(() => list.getByRole("listitem").count()).toBe(2);
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Address or identity contains" }).fill("subnet");
  await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
  await page.getByRole("searchbox", { name: "Address or identity contains" }).fill("nothing like it");
  await page.getByText("No resource fits").waitFor();
  expectCalm(window);
});

test("a stack whose state holds resources is deleted only by whoever says so", async ({ open, world, kept }) => {
  await kept.stack("sandbox");
  const window = await open(`/orgs/${world.org}/stacks/sandbox?dialog=delete`);
  const { page } = window;
  const dialog = page.getByRole("dialog", { name: "Delete sandbox" });
  await dialog.getByText("2 resources").waitFor();
  await dialog.getByLabel("Type sandbox").fill("sandbox");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/holds resources/)
    .waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByLabel(/forget the resources/).check();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/stacks$/);
  expectCalm(window, /status of 409/, /status of 404/);
});
