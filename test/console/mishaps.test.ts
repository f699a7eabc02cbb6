/** What the console makes of what happens around it: no network, a newer build, a proxy with a path of its own. */
import { once } from "node:events";
import { createServer, request as requestTo } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { expectCalm, openWindow } from "../support/webBrowser.ts";

const test = consoleTest();

test("without a network it says so, and what was pressed meanwhile is sent once it is back", async ({
  open,
  world,
}) => {
  await world.shown.stack("far-away");
  const window = await open(`/orgs/${world.org}/stacks/far-away?dialog=hold`);
  const { page, context } = window;
  await page.getByLabel("Why").fill("the line is cut");
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await context.setOffline(true);
  await page.getByText("You are offline").waitFor();
  await page.getByRole("button", { name: "Hold", exact: true }).click();
  await page.locator("dialog [aria-busy=true]").waitFor();
  expect(sent).toEqual([]);
  await context.setOffline(false);
  await page.getByText("You are offline").waitFor({ state: "detached" });
  await page.getByText("the line is cut").waitFor();
  expect(sent).toHaveLength(1);
  expectCalm(window, /ERR_INTERNET_DISCONNECTED/);
});

test("an old tab after an upgrade loads itself anew where it goes, and not while somebody types", async ({
  open,
  world,
}) => {
  const window = await open(`/orgs/${world.org}/deployments`);
  const { page } = window;
  const field = page.getByRole("searchbox", { name: "Commit" });
  await field.fill("0123");
  // The files that this tab knows are gone, until it asks for the page itself.
  let upgraded = false;
  await page.route("**/assets/*", (route) => (upgraded ? route.continue() : route.fulfill({ status: 404 })));
  await page.route(`**/orgs/${world.org}/*`, (route) => {
    upgraded ||= route.request().isNavigationRequest();
    return route.continue();
  });
  const stacks = page.getByRole("link", { name: "Stacks" });
  const missed = page.waitForResponse((answer) => answer.status() === 404);
  await stacks.hover();
  await missed;
  expect(await field.inputValue()).toBe("0123");
  expect(upgraded).toBe(false);
  await stacks.click();
  await page.getByRole("heading", { name: "Stacks" }).waitFor();
  expect(upgraded).toBe(true);
  expect(new URL(page.url()).pathname).toBe(`/orgs/${world.org}/stacks`);
  expectCalm(window, /status of 404/, /dynamically imported module/);
});

test("what cannot be had from anywhere is not asked for again and again", async ({ open, world }) => {
  const id = await world.shown.deploy(await world.shown.stack("half-there"), "A part");
  const window = await open(`/orgs/${world.org}/stacks/half-there/deployments/${id}`);
  const { page } = window;
  await page.locator("[data-headline]").waitFor();
  let loads = 0;
  await page.route("**/assets/EventsTab-*", (route) => route.fulfill({ status: 404 }));
  page.on("request", (request) => request.isNavigationRequest() && loads++);
  await page.getByRole("link", { name: /^Events/ }).click();
  await page.getByRole("heading", { name: "This page broke" }).waitFor();
  expect(loads).toBe(1);
  expectCalm(window, /status of 404/, /Unable to preload CSS|dynamically imported module/);
});

test("behind a proxy with a path of its own all of it stays below that path", async ({
  world,
  browser,
  onTestFinished,
}) => {
  const { api, org, user, shown } = world;
  const stack = await shown.stack("behind");
  const id = await shown.planned(stack, "Seen through a proxy", { add: 1 });
  const proxy = await below("/tools/deploy", api.baseUrl);
  onTestFinished(() => proxy.close());
  const sessionToken = await createSession(api.database.db, user);
  const window = await openWindow(browser, { baseUrl: proxy.origin, sessionToken });
  onTestFinished(() => window.context.close());
  const { page } = window;
  await page.goto(`/tools/deploy/orgs/${org}/stacks/behind/deployments/${id}`);
  await page.getByRole("heading", { name: "Seen through a proxy" }).waitFor();
  await page.locator("[data-state=live]").waitFor();
  // A worker and a part that is loaded later.
  await page.getByRole("link", { name: "Log" }).click();
  await page.locator("[data-log]").waitFor();
  await page.getByRole("navigation", { name: "Where this is" }).getByRole("link", { name: "Stacks" }).click();
  await page.getByRole("heading", { name: "Stacks" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/tools/deploy/orgs/${org}/stacks`);
  await page.reload();
  await page.getByRole("link", { name: "behind" }).waitFor();
  expect(proxy.outside).toEqual([]);
  expectCalm(window, /status of 404/);
});

/** A proxy that serves everything of `target` below `path`, and nothing elsewhere. */
async function below(path: string, target: string) {
  const outside: string[] = [];
  const server = createServer((request, response) => {
    const { url = "/", method, headers } = request;
    if (!url.startsWith(`${path}/`)) {
      outside.push(url);
      response.writeHead(404).end();
      return;
    }
    const passed = requestTo(`${target}${url.slice(path.length)}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    outside,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
