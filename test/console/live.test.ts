/** What is on screen follows what happens, and the tabs of a browser share what tells them. */
import { expect } from "vitest";
import { consoleTest } from "../support/consoleTest.ts";
import { waitFor } from "../support/waitFor.ts";
import { expectCalm, watch } from "../support/webBrowser.ts";

const test = consoleTest();

test("a deployment that begins to wait appears by itself, and focus and what is typed stay", async ({
  open,
  world,
}) => {
  const { org, shown } = world;
  const stack = await shown.stack("network-prod");
  const id = await shown.deploy(stack, "Fix moved resource");
  const window = await open(`/orgs/${org}/deployments`);
  const { page } = window;
  await page.locator("[data-status=pending]").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  const commit = page.getByRole("searchbox", { name: "Commit" });
  await commit.pressSequentially("0123");
  await (await shown.begin(id))({ counts: { add: 2 } });
  await page.getByText("Waits for you").waitFor();
  expect(await commit.inputValue()).toBe("0123");
  expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Commit");
  expectCalm(window);
});

test("two tabs hold one stream, and it goes on in the other when the first is closed", async ({ open, world }) => {
  const { org, shown } = world;
  const stack = await shown.stack("shared");
  const first = await open(`/orgs/${org}/deployments`);
  await first.page.getByText("Live", { exact: true }).waitFor();
  const streams = new Set<string>();
  const second = await first.context.newPage();
  watch(second, world.api.baseUrl, first.complaints);
  for (const [name, page] of [
    ["first", first.page],
    ["second", second],
  ] as const) {
    page.on("request", (request) => request.url().endsWith("/live") && streams.add(name));
  }
  await second.goto(`/orgs/${org}/deployments`);
  const id = await shown.deploy(stack, "Seen by both");
  for (const page of [first.page, second]) await page.getByRole("link", { name: /Seen by both/ }).waitFor();
  expect([...streams]).toEqual([]);
  await first.page.close();
  await waitFor(async () => streams.has("second"), { what: "the other tab to follow", timeoutMs: 45_000 });
  await shown.begin(id);
  await second.locator("[data-status=planning]").waitFor();
  expectCalm(first);
});
