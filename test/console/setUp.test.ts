/** Pages with which an organization is set up: as who may change all of it, as who may only read, and what each changes. */
import { expect } from "vitest";
import { type Configured, configureOrg } from "../support/consoleSetUp.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { takePictures } from "../support/pictures.ts";
import { accessibilityFindings, expectCalm } from "../support/webBrowser.ts";

const test = consoleTest().extend("configured", { scope: "file" }, ({ world }) => configureOrg(world));

type Page = {
  name: string;
  path: (configured: Configured) => string;
  /** What is on it once it is whole. */
  shown: RegExp;
  /** Buttons that only who may change things has. */
  offers: readonly RegExp[];
  /** What a viewer meets instead of it. */
  viewer?: RegExp;
};

const PAGES: readonly Page[] = [
  {
    name: "runners",
    path: ({ group }) => `/runners?group=${group}`,
    shown: /Coordinator/,
    offers: [/New group/, /Rotate key/, /Settings/],
  },
  {
    name: "members",
    path: ({ viewer }) => `/people?id=${viewer}`,
    shown: /Came by/,
    offers: [/Add a member/, /Remove/, /Give/],
  },
  { name: "invitations", path: () => "/people?tab=invitations", shown: /grace/, offers: [/Invite/, /Take/] },
  {
    name: "roles",
    path: ({ role }) => `/people?tab=roles&id=${role}`,
    shown: /named network-\*/,
    offers: [/New role/, /Change/, /Delete/],
  },
  {
    name: "service accounts",
    path: ({ account }) => `/people?tab=accounts&id=${account}`,
    shown: /nightly/,
    offers: [/New service account/, /New token/, /Disable/, /Delete/],
  },
  {
    name: "sign-in",
    path: ({ source }) => `/people?tab=sign-in&id=${source}`,
    shown: /id\.acme\.example/,
    offers: [/New source/, /Test/, /New rule/, /New binding/],
  },
  {
    name: "domains",
    path: () => "/people?tab=domains",
    shown: /Set this TXT record/,
    offers: [/Prove a name/, /Look now/],
    viewer: /Not allowed/,
  },
];

test.for(PAGES)("$name, as who may change it", async ({ name, path, shown, offers }, { open, world, configured }) => {
  const window = await open(`/orgs/${world.org}${path(configured)}`);
  const { page } = window;
  await page.getByText(shown).first().waitFor();
  for (const offer of offers) await page.getByRole("button", { name: offer }).first().waitFor();
  await takePictures(page, name);
  expect(await accessibilityFindings(page)).toEqual([]);
  expectCalm(window);
});

test.for(PAGES)("$name, as who may only read", async ({ path, shown, offers, viewer }, { open, world, configured }) => {
  const window = await open(`/orgs/${world.org}${path(configured)}`, { user: configured.viewer });
  const { page } = window;
  await page
    .getByText(viewer ?? shown)
    .first()
    .waitFor();
  for (const offer of offers) expect(await page.getByRole("button", { name: offer }).count()).toBe(0);
  expect(await accessibilityFindings(page)).toEqual([]);
  expectCalm(window, /status of 403/);
});

test("a runner group is made, its key shown once, and the group deleted", async ({ open, world: { org } }) => {
  const window = await open(`/orgs/${org}/runners`);
  const { page } = window;
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByLabel("Name", { exact: true }).fill("us-1");
  await page.getByLabel("Labels").fill("region=us");
  await page.getByRole("button", { name: "Make the group" }).click();
  await page
    .getByRole("region", { name: "private key" })
    .getByText(/BEGIN PRIVATE KEY/)
    .waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("heading", { name: "us-1", exact: true }).waitFor();
  expect(await page.getByText(/BEGIN PRIVATE KEY/).count()).toBe(0);
  await page.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete the group" });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel("Type us-1 to go on").fill("us-1");
  await confirm.click();
  await page.getByRole("heading", { name: "us-1", exact: true }).waitFor({ state: "detached" });
  expectCalm(window);
});

test("a role is made in the editor of grants, and given to a service account with a token that is shown once", async ({
  open,
  world: { org },
}) => {
  const window = await open(`/orgs/${org}/people?tab=roles&dialog=new`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("deployer of dns");
  const first = page.getByRole("group", { name: "Permission 1" });
  await first.getByLabel("May").selectOption("deploy");
  await first.getByLabel("Which").selectOption("pattern");
  await first.getByLabel("Name, * for any text").fill("dns-*");
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Make the role" }).click();
  await page.getByText("named dns-*").waitFor();
  await page.getByRole("link", { name: "Service accounts" }).click();
  await page.getByRole("button", { name: "New service account" }).click();
  await page.getByLabel("Name", { exact: true }).fill("dns bot");
  await page.getByLabel("deployer of dns").check();
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name", { exact: true }).fill("ci");
  await page.getByRole("button", { name: "Make the token" }).click();
  await page.getByRole("region", { name: "token" }).getByText(/^svc_/).waitFor();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByText(/^svc_/).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Take away deployer of dns" }).click();
  await page.getByText("No role of its own").waitFor();
  expectCalm(window);
});

test("what is wrong with a form stands at its field", async ({ open, world: { org } }) => {
  const window = await open(`/orgs/${org}/people?tab=domains&dialog=prove`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("no domain");
  await page.getByRole("button", { name: "Go on" }).click();
  const field = page.getByLabel("Name", { exact: true });
  await page.getByRole("dialog").getByRole("alert").waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expectCalm(window, /status of 422/);
});
