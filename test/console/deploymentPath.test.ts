/**
 * From signing in to what is applied, on the whole product with real Terraform: by mouse, by keyboard alone, and when
 * somebody else plans anew meanwhile.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { installationTest, press, type ShownInstallation, type ShownStack } from "../support/consoleInstallation.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = installationTest();

/** Nobody is signed in at first; the identity provider is the one other place that a browser is sent to. */
const AWAY = [/status of 401/, /request outside of the service: http:\/\/127\.0\.0\.1:\d+\/(?:auth|interaction)/];
const PATH_MS = 120_000;

const stateOf = ({ parent }: ShownInstallation, name: string) => join(parent, `${name}.tfstate`);

function files(installation: ShownInstallation, name: string, seconds = 0): Record<string, string> {
  const wait = seconds === 0 ? "" : `  provisioner "local-exec" {\n    command = "sleep ${seconds}"\n  }\n`;
  return {
    "main.tf": `terraform {
  backend "local" {
    path = ${JSON.stringify(stateOf(installation, name))}
  }
}
resource "terraform_data" "one" {
  input = "first"
${wait}}
resource "terraform_data" "two" {
  input = 9223372036854773263
}
`,
  };
}

const headline = (page: Page, status: string) =>
  page.locator(`[data-headline="${status}"]`).waitFor({ timeout: 60_000 });
const planOnScreen = (page: Page) => page.locator("[data-run]").getAttribute("data-run");
const another = (page: Page, run: string) =>
  page.locator(`[data-run]:not([data-run="${run}"])`).waitFor({ timeout: 60_000 });

/** What was applied is the plan that was looked at. */
async function expectApplied(stack: ShownStack, id: string, run: string): Promise<void> {
  const { stages } = await stack.read(id);
  const apply = stages.find(({ kind }) => kind === "apply_run");
  expect(apply).toMatchObject({ phase: "done", run: { plan_run_id: run } });
}

test("by mouse: look at the plan, plan one resource again, confirm what is on screen", { timeout: PATH_MS }, async ({
  installation,
  signIn,
}) => {
  const stack = await installation.stack("by-mouse", files(installation, "by-mouse"));
  const id = await stack.plan();
  await stack.becomes(id, "waiting");
  const window = await signIn("ada", stack.path(id));
  const { page } = window;
  await headline(page, "waiting");
  await page.getByRole("button", { name: /terraform_data\.two/ }).click();
  await page.getByRole("code").getByText("9223372036854773263").waitFor();
  const first = (await planOnScreen(page)) as string;
  await page.getByRole("checkbox", { name: "Pick terraform_data.one" }).click();
  await page.getByRole("button", { name: "Replan..." }).click();
  await page.getByRole("dialog", { name: "Plan again" }).getByRole("button", { name: "Plan again" }).click();
  await another(page, first);
  expect(await page.locator("[data-changes]").getAttribute("data-changes")).toBe("1");
  await page.getByText("Planned only:").waitFor();
  const second = (await planOnScreen(page)) as string;
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByRole("dialog", { name: "Apply this plan?" }).locator("[data-yes]").click();
  await headline(page, "finished");
  await page.getByText("Applied", { exact: true }).waitFor();
  await expectApplied(stack, id, second);
  const state = await readFile(stateOf(installation, "by-mouse"), "utf8");
  expect(state).toContain('"one"');
  expect(state).not.toContain('"two"');
  await page.getByRole("list", { name: "Stages" }).getByRole("link", { name: "apply" }).click();
  await page.locator('[data-log="ended"]').waitFor();
  await page.getByRole("button", { name: /^terraform apply/ }).waitFor();
  expectCalm(window, ...AWAY);
});

test("by keyboard alone: sign in, read a change, plan one resource again, confirm", { timeout: PATH_MS }, async ({
  installation,
  signIn,
}) => {
  const stack = await installation.stack("by-keyboard", files(installation, "by-keyboard"));
  const id = await stack.plan();
  await stack.becomes(id, "waiting");
  const window = await signIn("ada", stack.path(id), { by: "keyboard" });
  const { page } = window;
  await page.locator("[data-changes]").waitFor();
  const { keyboard } = page;
  await keyboard.press("j");
  await keyboard.press("Enter");
  await page.getByText("terraform.io/builtin/terraform").waitFor();
  await keyboard.press("x");
  await page.getByText("1 ticked").waitFor();
  const first = (await planOnScreen(page)) as string;
  await keyboard.press("r");
  await page.getByRole("dialog", { name: "Plan again" }).waitFor();
  await press(page, "Plan again");
  await another(page, first);
  await keyboard.press("a");
  // Nothing is destroyed, so the button that goes on has the focus.
  await page.locator("[data-yes]:focus").waitFor();
  await keyboard.press("Enter");
  await headline(page, "finished");
  await expectApplied(stack, id, ((await stack.read(id)).stages[2]?.run?.id ?? "") as string);
  expectCalm(window, ...AWAY);
});

test("a newer plan never takes the place of the one on screen, and is not confirmed unseen", {
  timeout: PATH_MS,
}, async ({ installation, signIn }) => {
  const stack = await installation.stack("newer", files(installation, "newer"));
  const id = await stack.plan();
  await stack.becomes(id, "waiting");
  const window = await signIn("dev", stack.path(id));
  const { page } = window;
  await page.locator("[data-changes='2']").waitFor();
  const first = await planOnScreen(page);
  // This page hears late, as one whose connection is slow.
  const late = Promise.withResolvers<void>();
  await page.route(/\/deployments\/[0-9a-f-]+$/, (route) => late.promise.then(() => route.continue()));
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await stack.post(id, "confirm", { action: "replan", targets: ["terraform_data.two"] });
  await stack.becomes(id, "waiting");
  await page.locator("[data-yes]").click();
  await page.getByText("This is not the plan any more").waitFor();
  expect((await stack.read(id)).status).toBe("waiting");
  late.resolve();
  await page
    .getByText(/bootstrap asked for another plan/)
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  await page.locator("[data-plan-replaced]").waitFor({ timeout: 45_000 });
  expect(await planOnScreen(page)).toBe(first);
  expect(await page.getByRole("button", { name: "Apply", exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Look at the newer plan" }).first().click();
  await another(page, first as string);
  const second = (await planOnScreen(page)) as string;
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.locator("[data-yes]").click();
  await headline(page, "finished");
  await expectApplied(stack, id, second);
  expectCalm(window, ...AWAY, /status of 409/);
});

test("an apply that is cancelled stops, says so, and can be deployed again", { timeout: PATH_MS }, async ({
  installation,
  signIn,
}) => {
  const stack = await installation.stack("cancelled", files(installation, "cancelled", 60));
  const id = await stack.plan();
  await stack.becomes(id, "waiting");
  const window = await signIn("ada", stack.path(id));
  const { page } = window;
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.locator("[data-yes]").click();
  await headline(page, "applying");
  await page.getByRole("link", { name: "Log" }).click();
  await page.getByText("terraform_data.one: Provisioning with 'local-exec'...").waitFor({ timeout: 45_000 });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel it" }).click();
  await headline(page, "cancelled");
  await page.locator('[data-log="ended"]').waitFor({ timeout: 30_000 });
  await page.getByRole("button", { name: "Deploy again" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await headline(page, "waiting");
  expectCalm(window, ...AWAY);
});

test("a stack that loses its state says so before it is confirmed", { timeout: PATH_MS }, async ({
  installation,
  signIn,
}) => {
  const stack = await installation.stack(
    "stateless",
    { "main.tf": 'resource "terraform_data" "one" {}\n' },
    { state_mode: "own" },
  );
  const id = await stack.plan();
  await stack.becomes(id, "waiting");
  const { page } = await signIn("ada", stack.path(id));
  const warning = /the state of this stack is lost when the run ends/;
  await page.getByText(warning).first().waitFor();
  await page.getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByRole("dialog").getByText(warning).waitFor();
});

test("who may only look sees no button, and who deploys sees those of a deployer", { timeout: PATH_MS }, async ({
  installation,
  signIn,
}) => {
  const stack = await installation.stack("looked-at", files(installation, "looked-at"));
  const id = await stack.plan();
  await stack.becomes(id, "waiting");
  const buttons = async (name: string) => {
    const { page } = await signIn(name, stack.path(id));
    await page.locator("[data-changes='2']").waitFor();
    return page.locator("[data-decision]").evaluateAll((all) => all.map((button) => button.textContent));
  };
  expect(await buttons("eve")).toEqual([]);
  expect(await buttons("dev")).toEqual(["Apply", "Replan...", "Skip"]);
  expect(await buttons("ada")).toEqual(["Apply", "Replan...", "Skip"]);
});
