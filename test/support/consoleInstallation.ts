/** The console of a whole installation as `npm start` makes it: real Temporal, a real runner, real Terraform. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { test as plain } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import type { ApiClient } from "../../src/main/demo/apiClient.ts";
import { type LocalInstallation, startLocalInstallation } from "./localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "./runnerProcess.ts";
import { waitFor } from "./waitFor.ts";
import { launchBrowser, openWindow, type Watched } from "./webBrowser.ts";

export type ShownInstallation = LocalInstallation & {
  parent: string;
  org: string;
  stack(name: string, files: Record<string, string>, more?: object): Promise<ShownStack>;
};

/** A stack of the installation, for what happens beside the browser. */
export class ShownStack {
  readonly #api: ApiClient;
  readonly slug: string;
  readonly org: string;

  constructor(api: ApiClient, slug: string, org: string) {
    this.#api = api;
    this.slug = slug;
    this.org = org;
  }

  async plan(mode = "plan"): Promise<string> {
    const { id } = await this.#api.request<DeploymentResource>("POST", `/stacks/${this.slug}/deployments`, { mode });
    return id;
  }

  read(id: string): Promise<DeploymentResource> {
    return this.#api.request<DeploymentResource>("GET", `/stacks/${this.slug}/deployments/${id}`);
  }

  post(id: string, word: string, body: object = {}): Promise<unknown> {
    return this.#api.request("POST", `/stacks/${this.slug}/deployments/${id}/${word}`, body);
  }

  async becomes(id: string, ...statuses: string[]): Promise<DeploymentResource> {
    const last = await waitFor(
      async () => {
        const read = await this.read(id);
        return (statuses.includes(read.status) || read.completed_at !== null) && read;
      },
      { what: `${id} to be ${statuses}`, timeoutMs: 60_000, everyMs: 100 },
    );
    if (!statuses.includes(last.status)) throw new Error(`${id} is ${last.status}: ${last.error}`);
    return last;
  }

  path(id: string): string {
    return `/orgs/${this.org}/stacks/${this.slug}/deployments/${id}`;
  }
}

type Opening = { by?: "mouse" | "keyboard" };

export function installationTest(settings: Record<string, string> = {}) {
  return plain
    .extend("browser", { scope: "file" }, async ({}, { onCleanup }): Promise<Browser> => {
      const browser = await launchBrowser();
      onCleanup(() => browser.close());
      return browser;
    })
    .extend("installation", { scope: "file" }, async ({}, { onCleanup }): Promise<ShownInstallation> => {
      const parent = await mkdtemp(join(tmpdir(), "svc-console-"));
      // All people of a file sign in from one address within a minute or two.
      const signIns = { SVC_SSO_REQUESTS_PER_MINUTE: "1000" };
      const running = await startLocalInstallation(join(parent, "data"), { ...signIns, ...settings });
      onCleanup(async () => {
        await running.launcher.stop("SIGTERM", 60_000);
        await rm(parent, { recursive: true, force: true });
        removeTemporaryDirectories();
      });
      const org = running.ready.org_id;
      return {
        ...running,
        parent,
        org,
        async stack(name, files, more = {}) {
          const { url } = commitFiles(files);
          const { id } = await running.api.request<{ id: string }>("POST", "/stacks", {
            ...{ name, repository_url: url, branch: "main", tool: running.ready.tool },
            ...more,
          });
          return new ShownStack(running.api, id, org);
        },
      };
    })
    .extend("signIn", async ({ browser, installation }, { onCleanup }) => {
      const windows: Watched[] = [];
      onCleanup(async () => {
        for (const { context } of windows) await context.close();
      });
      const password = (await readFile(join(installation.parent, "data", "sign-in-password"), "utf8")).trim();
      /** A window in which somebody has signed in as people do; `ada` administers, `dev` deploys, others look. */
      return async (name: string, path: string, opening: Opening = {}): Promise<Watched> => {
        const { by = "mouse" } = opening;
        const window = await openWindow(browser, { baseUrl: installation.ready.base_url });
        windows.push(window);
        await window.page.goto(path);
        await signInAs(window.page, name, password, by);
        return window;
      };
    });
}

/** From the console's page of ways through the identity provider, back to where one wanted to go. */
async function signInAs(page: Page, name: string, password: string, by: "mouse" | "keyboard"): Promise<void> {
  const way = page.getByRole("button", { name: "Sign in with This machine" });
  await way.waitFor();
  if (by === "mouse") await way.click();
  else await press(page, "Sign in with This machine");
  await page.locator("input[name=name]").waitFor();
  if (by === "mouse") {
    await page.locator("input[name=name]").fill(name);
    await page.locator("input[name=password]").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    return;
  }
  // The name has the focus when the page opens.
  await page.keyboard.press("Control+a");
  await page.keyboard.type(name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

const FARTHEST = 80;
const FOCUSED =
  'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent.trim() ?? ""';

/** Tab to what is called so, and no other key. */
async function tabTo(page: Page, called: string | RegExp): Promise<void> {
  for (let tabs = 0; tabs < FARTHEST; tabs++) {
    const name = await page.evaluate<string>(FOCUSED);
    if (typeof called === "string" ? name === called : called.test(name)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${called} cannot be reached by Tab`);
}

export async function press(page: Page, called: string | RegExp): Promise<void> {
  await tabTo(page, called);
  await page.keyboard.press("Enter");
}
