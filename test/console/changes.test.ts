/** What people change in the console: sent once, refused where it stands, and never lost with the session. */
import { expect } from "vitest";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = consoleTest();

test("a stack is made, what is wrong stands at its field, and settings are saved as they differ", async ({
  open,
  world,
}) => {
  const window = await open(`/orgs/${world.org}/stacks?dialog=new`);
  const { page } = window;
  await page.getByLabel("Name", { exact: true }).fill("network");
  await page.getByLabel("Repository", { exact: true }).fill("gopher://git.example/r");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("Repository", { exact: true }).getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Repository", { exact: true }).fill("https://git.example/r.git");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("heading", { name: "network" }).waitFor();

  await page.getByRole("link", { name: "Settings", exact: true }).last().click();
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByLabel("Labels", { exact: true }).fill("env=prod");
  await page.getByRole("button", { name: "Save 1 change" }).click();
  const request = await sent;
  expect(request.headers()["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(request.headers()["x-csrf-token"]).toBeTruthy();
  await page.getByText("The settings are saved").first().waitFor();
  const [stack] = await world.api.database
    .sql`select labels, branch from stacks where org_id = ${world.org} and slug = 'network'`;
  expect(stack).toEqual({ labels: { env: "prod" }, branch: "main" });
  expectCalm(window, /status of 422/);
});

test("by keyboard alone a stack is put on hold, and everybody sees why", async ({ open, world }) => {
  await world.shown.stack("dns");
  const window = await open(`/orgs/${world.org}/stacks/dns`);
  const { page } = window;
  await page.getByRole("button", { name: "Deploy" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump" }).waitFor();
  await page.keyboard.type("Hold");
  await page.getByRole("option", { name: "Hold", selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Hold dns" }).waitFor();
  await page.getByLabel("Why").fill("the provider has an outage");
  await page.keyboard.press("Enter");
  await page.getByText("the provider has an outage").waitFor();
  await page.getByText("On hold").first().waitFor();
  expect(await page.locator("dialog[open]").count()).toBe(0);
  expectCalm(window);
});

test("what a session's end interrupts goes on as it was, once the person has signed in again", async ({
  open,
  world,
}) => {
  const { api, org, user } = world;
  await world.shown.stack("kept");
  const window = await open(`/orgs/${org}/stacks/kept?dialog=hold`);
  const { page, context } = window;
  await page.getByLabel("Why").fill("typed before it ended");
  await api.database.sql`delete from sessions where user_id = ${user}`;
  await page.getByRole("button", { name: "Hold", exact: true }).click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  expect(await page.getByLabel("Why").inputValue()).toBe("typed before it ended");

  const value = await createSession(api.database.db, user);
  await context.addCookies([{ name: "svc_session", value, url: api.baseUrl, httpOnly: true, sameSite: "Lax" }]);
  const elsewhere = await context.newPage();
  await elsewhere.goto("/sign-in/done");
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor({ state: "detached" });
  await page.getByText("typed before it ended").waitFor();
  const [stack] = await api.database.sql`select hold_reason from stacks where org_id = ${org} and slug = 'kept'`;
  expect(stack?.hold_reason).toBe("typed before it ended");
  expectCalm(window, /status of 401/);
});

test("who may only read sees nothing to press", async ({ open, world }) => {
  const { api, org } = world;
  await world.shown.stack("readable");
  const { user } = await api.makeUser({
    orgs: [org],
    grants: [
      ["org", "read"],
      ["stack", "read"],
    ],
  });
  const window = await open(`/orgs/${org}/stacks/readable/settings`, { signedIn: user });
  const { page } = window;
  await page.getByText("You may read these settings").waitFor();
  expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  // The variables are for who may read contexts.
  expectCalm(window, /status of 40[34]/);
});

test("a personal token is shown once, and can be taken back", async ({ open }) => {
  const window = await open("/me");
  const { page } = window;
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name", { exact: true }).fill("laptop");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("dialog", { name: "The token" }).waitFor();
  await page.getByRole("button", { name: "I have kept it" }).click();
  await page.getByRole("button", { name: "Delete laptop" }).click();
  await page.getByText("No token", { exact: true }).waitFor();
  expectCalm(window);
});
