/** A stack's outputs in the console: values, what is sensitive when it is asked for, and who is given them. */
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { storeOutputs } from "../../src/core/outputs/outputs.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { claim, decide } from "../support/fixtures.ts";
import { text } from "../support/outputsTest.ts";
import { takePictures } from "../support/pictures.ts";
import { expectCalm } from "../support/webBrowser.ts";

const SECRET = "correct-horse-battery";
const DIGITS = "123456789012345678901234567890";

const test = consoleTest().extend("left", { scope: "file" }, async ({ world: { shown, api, org } }) => {
  const { database, keyring } = api;
  const network = await shown.stack("network-prod");
  await shown.stack("app-prod");
  const id = await shown.planned(network, "A network", { add: 1 });
  await decide(shown.service, database, id, "confirm", { action: "apply" } as never);
  const { runId, runnerId } = await claim(database, shown.org, id);
  await acceptRun(shown.service, runId, runnerId);
  await storeOutputs({ db: database.db, keyring }, runId, [
    text("vpc_id", "vpc-1"),
    { name: "digits", type: '"number"', sensitive: false, value: DIGITS },
    text("password", SECRET, true),
  ]);
  await reportDone(shown.service, runId, runnerId, { status: "success" });
  const trail = () => database.sql`
    select action from audit_log where org_id = ${org} and action like 'output%' order by id`;
  return { trail };
});

test("values are shown, a sensitive one to who asks for it, and a stack is given them", async ({
  open,
  world,
  left,
}) => {
  const window = await open(`/orgs/${world.org}/stacks/network-prod/outputs`);
  const { page } = window;
  const table = page.getByRole("table", { name: "Outputs" });
  await table.getByText('"vpc-1"').waitFor();
  await table.getByText(DIGITS).waitFor();
  await takePictures(page, "outputs");
  expect(await accessibilityFindings(page)).toEqual([]);
  expect(await page.content()).not.toContain(SECRET);
  await table.getByRole("button", { name: "Show password" }).click();
  await table.getByText(`"${SECRET}"`).waitFor();
  await table.getByRole("button", { name: "Hide password" }).click();
  await table.getByRole("button", { name: "Show password" }).waitFor();
  expect(await page.content()).not.toContain(SECRET);

  await page.getByText("No stack is given them").waitFor();
  await page.getByRole("button", { name: "Give to a stack" }).click();
  const dialog = page.getByRole("dialog", { name: "Give outputs of network-prod" });
  await dialog.getByLabel("Stack").fill("app-prod");
  await dialog.getByLabel(/Also what is sensitive/).check();
  await takePictures(page, "outputs-give");
  expect(await accessibilityFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Give" }).click();
  const readers = page.getByRole("list", { name: "Given to" });
  await readers.getByText("also what is sensitive").waitFor();
  await page.getByRole("button", { name: "Stop giving to app-prod" }).click();
  const stop = page.getByRole("dialog", { name: "Give app-prod no outputs of network-prod" });
  await stop.getByRole("button", { name: "Stop giving" }).click();
  await page.getByText("No stack is given them").waitFor();
  const actions = (await left.trail()).map(({ action }) => action);
  expect(actions).toEqual(["output.read", "output_reader.set", "output_reader.remove"]);
  expectCalm(window);
});
