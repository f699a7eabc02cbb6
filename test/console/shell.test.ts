/** What is around every page: how it is served, signing in, getting about, and that nothing is out of reach. */
import { expect } from "vitest";
import { accessibilityFindings } from "../../bench/console/accessibility.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { fillWorld } from "../support/consoleWorld.ts";
import { expectCalm } from "../support/webBrowser.ts";

const test = consoleTest();

test("each address of a page gives the page, which may run and load nothing but what is here", async ({
  world: { api, org },
}) => {
  const paths = ["/", "/me", "/admin", "/sign-in", `/orgs/${org}`, `/orgs/${org}/stacks/x/deployments/y`];
  for (const path of paths) {
    const answer = await fetch(api.baseUrl + path);
    const html = await answer.text();
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain("unsafe");
    const script = /<script[^>]*src="([^"]+)"/.exec(html)?.[1] ?? "";
    const asset = await fetch(new URL(script, api.baseUrl + path), { headers: { "accept-encoding": "br" } });
    expect(asset.status, `${path} -> ${script}`).toBe(200);
    expect(asset.headers.get("content-encoding")).toBe("br");
    expect(asset.headers.get("cache-control")).toContain("immutable");
    const again = await fetch(api.baseUrl + path, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  }
});

test("what is no page is told as a problem, also a file of another build", async ({ world: { api } }) => {
  for (const path of ["/api/v1/nothing", "/nothing", "/assets/index-0ld.js", "/assets/%2e%2e%2fmanifest.json"]) {
    const answer = await fetch(api.baseUrl + path, { headers: { accept: "text/html" } });
    expect(answer.status, path).toBe(404);
    expect(answer.headers.get("content-type"), path).toContain("application/problem+json");
  }
  const old = await fetch(`${api.baseUrl}/assets/index-0ld.js`);
  expect(((await old.json()) as { detail: string }).detail).toContain("another version of the console");
});

test("who is not signed in is asked to, and brought back to where they wanted to go", async ({
  open,
  world: { org },
}) => {
  const window = await open(`/orgs/${org}/deployments?status=failed`, { signedIn: false });
  await window.page.getByRole("heading", { name: "Deployments" }).waitFor();
  const url = new URL(window.page.url());
  expect(url.pathname).toBe("/sign-in");
  expect(url.searchParams.get("return_to")).toBe(`/orgs/${org}/deployments?status=failed`);
  expect(await accessibilityFindings(window.page)).toEqual([]);
  expectCalm(window, /status of 401/);
});

test("the palette finds a stack by a part of its name, and keys lead to pages", async ({
  open,
  world: { org, shown },
}) => {
  await fillWorld(shown);
  const window = await open(`/orgs/${org}`);
  const { page } = window;
  await page.getByRole("heading", { name: "Acme" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("database");
  await page.getByRole("option", { name: /database-prod/, selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "database-prod" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.waitForURL(/\/deployments$/);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" });
  expectCalm(window);
});
