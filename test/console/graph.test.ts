/** The graph with a cycle, and what all states hold: drawn, listed, and found again by their addresses. */
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { makeEdges, makeStacks } from "../support/dependencies.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = consoleTest().extend("stacks", { scope: "file" }, async ({ world }) => {
  const { database } = world.api;
  const stacks = await makeStacks(database, world.org, ["network", "database", "app", "web", "lonely"]);
  await makeEdges(database, world.org, [
    { from: stacks.database, slug: "network", trigger: "always" },
    { from: stacks.app, slug: "database" },
    { from: stacks.web, slug: "app" },
    { from: stacks.app, slug: "web" },
  ]);
  const resource = {
    ...{ org_id: world.org, stack_key: stacks.network, mode: "managed", type: "aws_vpc", realm: "aws/1" },
    ...{ address: "module.core.aws_vpc.main", provider: "registry.terraform.io/hashicorp/aws" },
    ...{ identity: "vpc-0a1b", identity_hash: Buffer.from("aa", "hex") },
  };
  await database.sql`insert into explore.resources ${database.sql(resource)}`;
  return stacks;
});

test("what depends on what is drawn and listed, with its cycle, and each stack is a link", async ({
  open,
  world,
  stacks,
}) => {
  expect(Object.keys(stacks)).toHaveLength(5);
  const window = await open(`/orgs/${world.org}/graph`);
  const drawing = window.page.getByRole("region", { name: "Drawing of the graph" });
  await drawing.getByRole("link", { name: "database" }).waitFor();
  expect(await drawing.getByRole("link").count()).toBe(4);
  expect(await drawing.getByLabel("on a cycle").count()).toBe(2);
  await window.page.getByText("2 stacks lie on a cycle").waitFor();
  const list = window.page.getByRole("list", { name: "Stacks and what they depend on" });
  expect(await list.getByRole("listitem").count()).toBe(5);
  expect(await accessibilityFindings(window.page)).toEqual([]);
  await window.page.getByRole("combobox", { name: "Around" }).selectOption("network");
  await expect.poll(() => window.page.url()).toMatch(/stack=network/);
  await drawing.getByRole("link", { name: "network" }).click();
  await window.page.waitForURL(/\/stacks\/network$/);
  expectCalm(window);
});

test("resources are found by a part of their address, and their stack is a click away", async ({
  open,
  world,
  stacks,
}) => {
  expect(stacks.network).toBeTruthy();
  const window = await open(`/orgs/${world.org}/resources?search=core.aws_vpc`);
  await window.page.getByRole("link", { name: "module.core.aws_vpc.main" }).waitFor();
  await window.page.getByText("vpc-0a1b").waitFor();
  expect(await accessibilityFindings(window.page)).toEqual([]);
  await window.page.getByRole("searchbox", { name: "Address or identity contains" }).fill("nothing like it");
  await window.page.getByText("No resource fits").waitFor();
  await window.page.getByRole("navigation", { name: "Resources" }).getByRole("link", { name: "Findings" }).click();
  await window.page.getByText("Not looked for yet").waitFor();
  const current = window.page.getByRole("navigation", { name: "Resources" }).locator("[aria-current=page]");
  expect(await current.allTextContents()).toEqual(["Findings"]);
  expect(await accessibilityFindings(window.page)).toEqual([]);
  expectCalm(window);
});
