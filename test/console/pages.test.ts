/** Each page with something on it: readable by everybody in both themes, and calm. */
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { fillWorld } from "../support/consoleWorld.ts";
import { takePictures } from "../support/pictures.ts";
import { waitFor } from "../support/waitFor.ts";
import { expectCalm, type Watched } from "../support/webBrowser.ts";

const test = consoleTest();
let filled: Promise<unknown> | undefined;

/** Where each page is, and what is on it once it is whole. */
const PAGES: readonly [name: string, path: string, shown: RegExp][] = [
  ["home", "", /Fix moved resource/],
  ["deployments", "/deployments", /Fix moved resource/],
  ["stacks", "/stacks", /network-prod/],
  ["stack", "/stacks/network-prod", /Fix moved resource/],
  ["queue", "/stacks/network-prod/queue", /Open the port/],
  ["pull-requests", "/stacks/network-prod/pull-requests", /Show the modules/],
  ["dependencies", "/stacks/network-prod/dependencies", /database-prod/],
  ["outputs", "/stacks/network-prod/outputs", /No stack is given them/],
  ["stack-drift", "/stacks/network-prod/drift", /Never checked/],
  ["schedules", "/stacks/network-prod/schedules", /Nothing comes by itself/],
  ["drift", "/drift", /No stack is checked/],
  ["settings", "/stacks/network-prod/settings", /Settings/],
  ["activity", "/stacks/network-prod/activity", /What people did/],
  ["new-stack", "/stacks?dialog=new", /network-prod/],
  ["deploy", "/stacks/network-prod?dialog=deploy", /Fix moved resource/],
  ["command", "/stacks/network-prod?dialog=command", /Fix moved resource/],
  ["hold", "/stacks/network-prod?dialog=hold", /Fix moved resource/],
  ["delete", "/stacks/network-prod?dialog=delete", /Fix moved resource/],
  ["not-there", "/stacks/nothing", /Not here/],
];

const OWN: typeof PAGES = [
  ["me", "/me", /Sessions/],
  ["sessions", "/me?tab=sessions", /Sessions/],
  ["identities", "/me?tab=identities", /Identities/],
];

test.for(PAGES)("%s", async ([name, path, shown], { open, world }) => {
  filled ??= fillWorld(world.shown);
  await filled;
  const window = await open(`/orgs/${world.org}${path}`);
  await isWhole(window, name, shown);
  // A stack that is not there is asked for, and answered with 404.
  expectCalm(window, ...(name === "not-there" ? [/status of 404/] : []));
});

test.for(OWN)("%s", async ([name, path, shown], { open }) => {
  const window = await open(path);
  await isWhole(window, name, shown);
  expectCalm(window);
});

async function isWhole({ page }: Watched, name: string, shown: RegExp): Promise<void> {
  await page.locator("main").getByText(shown).first().waitFor();
  const unfinished = page.locator("[aria-busy=true], [aria-label^=Loading]");
  await waitFor(async () => (await unfinished.count()) === 0, { what: `${name} to be whole` });
  await takePictures(page, name);
  expect(await accessibilityFindings(page)).toEqual([]);
}
