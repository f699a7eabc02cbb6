/** What a first visit is like: `npm start`, its link, and the ways of signing in afterwards. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { waitFor } from "../support/waitFor.ts";
import { launchBrowser, openWindow } from "../support/webBrowser.ts";

let parent: string;
let running: LocalInstallation;
let browser: Browser;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-console-"));
  running = await startLocalInstallation(join(parent, "data"));
  browser = await launchBrowser();
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
}, 90_000);

test("the printed link signs the first person in, once; then a way of signing in is chosen", async () => {
  const { base_url: baseUrl } = running.ready;
  const link = await waitFor(
    async () => /First visit\s+(\S+)/.exec(await readFile(join(parent, "output.log"), "utf8"))?.[1],
    { what: "the link of the first visit" },
  );
  expect(new URL(link).hostname).toBe("127.0.0.1");
  // A program that looks ahead does not use it up.
  await fetch(link, { method: "HEAD", redirect: "manual" });

  const { page } = await openWindow(browser, { baseUrl });
  await page.goto(link);
  await page.getByRole("heading", { name: "Local" }).waitFor();
  await page.getByRole("button", { name: "You: Ada (admin)" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with This machine" }).waitFor();

  const other = await openWindow(browser, { baseUrl });
  await other.page.goto(link);
  await other.page.getByLabel("Password").waitFor();
  await other.page.goto(`${baseUrl}/me`);
  await other.page.getByRole("button", { name: "Sign in with This machine" }).click();
  await other.page.getByLabel("Name").fill("grace");
  await other.page.getByLabel("Password").fill((await readFile(join(parent, "data/sign-in-password"), "utf8")).trim());
  await other.page.getByRole("button", { name: "Sign in" }).click();
  await other.page.getByRole("heading", { name: "grace" }).waitFor();
  expect(new URL(other.page.url()).pathname).toBe("/me");
}, 120_000);
