/** Pages with which an organization is set up: as who may change all of it, as who may only read, and what each changes. */
import { expect } from "vitest";
import { consoleTest } from "../support/consoleTest.ts";
import { type Configured, configureOrg } from "../support/consoleSetUp.ts";
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
  await page.getByRole("region", { name: "private key" }).getByText(/BEGIN PRIVATE KEY/).waitFor();
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
