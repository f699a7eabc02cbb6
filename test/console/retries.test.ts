/** What did not arrive, at a receiver or from a code host, is tried again by hand, and a refusal is said. */
import { expect } from "vitest";
import { configureOrg } from "../support/consoleSetUp.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = consoleTest().extend("configured", { scope: "file" }, ({ world }) => configureOrg(world));

test("a notification that was given up is sent again; one that has arrived meanwhile is gone", async ({
  open,
  world,
  configured,
}) => {
  const { sql } = world.api.database;
  const window = await open(`/orgs/${world.org}/notifications?integration=${configured.chat}`);
  const { page } = window;
  const deliveries = page.getByRole("list", { name: "Deliveries" });
  await deliveries.getByText("Given up").waitFor();
  const retry = deliveries.getByRole("button", { name: /^Retry deployment_failed/ });
  await retry.click();
  await page.getByText("It is sent again").first().waitFor();
  await deliveries.getByText("On the way").waitFor();
  const [row] = await sql`select status, attempts from notification_deliveries where org_id = ${world.org}`;
  expect(row).toMatchObject({ status: "pending", attempts: 0 });

  await sql`delete from notification_deliveries where org_id = ${world.org}`;
  await retry.click();
  await page.getByRole("alert").waitFor();
  expectCalm(window, /status of 404/);
});

test("a delivery of a code host that was given up is tried again from the start", async ({
  open,
  world,
  configured,
}) => {
  const { sql } = world.api.database;
  const window = await open(`/orgs/${world.org}/code-hosts?integration=${configured.host}&state=dead`);
  const { page } = window;
  await page.getByText("The repository could not be read").waitFor();
  await page.getByRole("button", { name: "Retry push-1" }).click();
  await page.getByText("It is tried again from the start").first().waitFor();
  // It is none of those that were given up any more.
  await page.getByText("Nothing of this state").waitFor();
  const [event] = await sql`select status, attempts from scm_events where org_id = ${world.org}`;
  expect(event).toMatchObject({ status: "pending", attempts: 0 });
  expectCalm(window);
});
