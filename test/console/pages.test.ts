/** Each page with something on it: readable by everybody in both themes, and calm. */
import { expect } from "vitest";
import { consoleTest } from "../support/consoleTest.ts";
import { fillWorld } from "../support/consoleWorld.ts";
import { takePictures } from "../support/pictures.ts";
import { accessibilityFindings, expectCalm } from "../support/webBrowser.ts";

const test = consoleTest();
let filled: Promise<unknown> | undefined;

/** Where each page is, and what is on it once it is whole. */
const PAGES: readonly [name: string, path: string, shown: RegExp][] = [
  ["home", "", /Fix moved resource/],
  ["deployments", "/deployments", /Fix moved resource/],
  ["stacks", "/stacks", /network-prod/],
  ["stack", "/stacks/network-prod", /Fix moved resource/],
  ["queue", "/stacks/network-prod/queue", /Open the port/],
];

test.for(PAGES)("%s", async ([name, path, shown], { open, world }) => {
  filled ??= fillWorld(world.shown);
  await filled;
  const window = await open(`/orgs/${world.org}${path}`);
  await window.page.getByRole("link", { name: shown }).first().waitFor();
  await takePictures(window.page, name);
  expect(await accessibilityFindings(window.page)).toEqual([]);
  expectCalm(window);
});
