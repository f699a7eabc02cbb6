/** `deploy login` as a person does it: the program in a terminal, its page in a real browser, a real sign-in. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { CliProgram, type Started } from "../support/cliProgram.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { waitFor } from "../support/waitFor.ts";
import { expectCalm, launchBrowser, openWindow, type Watched } from "../support/webBrowser.ts";

let parent: string;
let running: LocalInstallation;
let browser: Browser;
let baseUrl: string;
const programs: CliProgram[] = [];

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-device-"));
  running = await startLocalInstallation(join(parent, "data"));
  baseUrl = running.ready.base_url;
  browser = await launchBrowser();
}, 90_000);
afterEach(async () => {
  for (const program of programs.splice(0)) await program.end();
});
afterAll(async () => {
  await browser?.close();
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
}, 90_000);

/** Nothing but this folder of profiles says who one is. */
function start(args: readonly string[], profiles: string, given: Started = {}): CliProgram {
  const env = { DEPLOY_CONFIG_DIR: join(parent, profiles), DEPLOY_TOKEN: "", DEPLOY_HOST: "", ...given.env };
  const program = CliProgram.start(args, { cwd: parent, terminal: true, ...given, env });
  programs.push(program);
  return program;
}

async function codeOn(program: CliProgram): Promise<string> {
  await program.sees(/code: [A-Z]{4}-[A-Z]{4}/);
  return /code: ([A-Z-]{9})/.exec(program.screen)![1]!;
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name: "Sign in with This machine" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill((await readFile(join(parent, "data/sign-in-password"), "utf8")).trim());
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** A window at this address, in which nobody has signed in yet. */
async function open(address: string, size: "laptop" | "phone" = "laptop"): Promise<Watched> {
  const window = await openWindow(browser, { baseUrl, size });
  await window.page.goto(address);
  return window;
}

/** Reading who is signed in is refused at first, and the browser says so; then the page of the sign-in is another's. */
const SIGNED_OUT = /401|outside of the service: \S+\/(?:auth|interaction)[/?]/;

describe("deploy login", () => {
  test("opens the page, where its person signs in, compares the code, chooses and agrees", async () => {
    // A stand-in for the browser of the desktop: it keeps the address, and what it was started with.
    const opener = join(parent, "opener");
    await writeFile(opener, `#!/bin/sh\nenv > ${parent}/opener.env\necho "$1" > ${parent}/opened\n`);
    await chmod(opener, 0o755);
    const program = start(["login", "--host", baseUrl], "first", { env: { BROWSER: opener } });
    const code = await codeOn(program);
    const address = await waitFor(() => readFile(join(parent, "opened"), "utf8"), { what: "the page's address" });
    const window = await open(address.trim());
    const { page } = window;
    await signIn(page, "ada");
    await page.getByRole("heading", { name: "Let this program act as you?" }).waitFor();
    expect(await page.locator("#shown").textContent()).toBe(code);
    expect(await page.locator("dl").textContent()).toMatch(
      /Program.?deploy.*Asking from.?127\.0\.0\.1.*signed in as.?Ada/s,
    );
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel("It may act in").selectOption({ label: "Local" });
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Go back to the program").waitFor();
    expect(await program.exited).toBe(EXIT.done);
    expect(program.screen).toMatch(/Signed in as Ada .*at .* for Local/);
    expectCalm(window, SIGNED_OUT);

    const who = start(["whoami"], "first");
    expect([await who.exited, who.screen]).toEqual([
      EXIT.done,
      expect.stringMatching(/name +Ada[\s\S]*token +deploy on /),
    ]);
    const [token] = Object.values(JSON.parse(await readFile(join(parent, "first/tokens.json"), "utf8"))) as string[];
    for (const text of [
      program.stdout,
      who.stdout,
      await page.content(),
      await readFile(`${parent}/opener.env`, "utf8"),
    ]) {
      expect(text).not.toContain(token);
    }
    // It is listed where its person deletes it.
    await page.goto("/me");
    await page
      .getByText(/deploy on /)
      .first()
      .waitFor();
  }, 90_000);

  test("is declined in a browser on another machine, to whose page the code is typed", async () => {
    const program = start(["login", "--host", baseUrl, "--no-browser"], "second");
    const code = await codeOn(program);
    const window = await open("/device", "phone");
    const { page } = window;
    await signIn(page, "grace");
    await page.getByLabel("The code that it shows").fill(code.toLowerCase().replace("-", " "));
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.locator("#shown").getByText(code).waitFor();
    // As wide as a phone, and nothing to scroll to the side.
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.getByRole("button", { name: "No" }).click();
    await page.getByText("has nothing").waitFor();
    expect(await program.exited).toBe(EXIT.notSignedIn);
    expect(program.screen).toMatch(/declined[\s\S]*deploy login/);
    await page.goto("/device");
    await page.getByLabel("The code that it shows").fill(code);
    await page.keyboard.press("Enter");
    await page.getByText("was answered already").waitFor();
    expectCalm(window, SIGNED_OUT, /404/);
  }, 90_000);

  test("once more ends the token that it replaces", async () => {
    const tokens: string[] = [];
    for (let time = 0; time < 2; time++) {
      const program = start(["login", "--host", baseUrl, "--no-browser"], "third");
      const { page } = await open(`/device#${await codeOn(program)}`);
      await signIn(page, "ada");
      await page.getByRole("button", { name: "Allow" }).click();
      expect(await program.exited).toBe(EXIT.done);
      tokens.push(
        ...(Object.values(JSON.parse(await readFile(join(parent, "third/tokens.json"), "utf8"))) as string[]),
      );
    }
    const answers = await Promise.all(
      tokens.map((token) => fetch(`${baseUrl}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  }, 90_000);
});
