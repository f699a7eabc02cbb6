/** The console over a database of the file's own, in a real browser: what those tests begin with. */
import type { Page } from "playwright-core";
import { openConsole } from "../../src/main/app/consoleBundle.ts";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { ShownWorld } from "./consoleWorld.ts";
import { type PeopleApi, startPeopleApi } from "./peopleApi.ts";
import { databaseTest } from "./test.ts";
import { launchBrowser, openWindow, type Watched } from "./webBrowser.ts";

export type ConsoleWorld = {
  api: PeopleApi;
  /** An organization with a person who may do everything in it. */
  org: string;
  user: string;
  shown: ShownWorld;
};

export function consoleTest(choices: Parameters<typeof startPeopleApi>[0] = {}) {
  return databaseTest()
    .extend("browser", { scope: "file" }, async ({}, { onCleanup }) => {
      const browser = await launchBrowser();
      onCleanup(() => browser.close());
      return browser;
    })
    .extend("world", { scope: "file" }, async ({}, { onCleanup }): Promise<ConsoleWorld> => {
      const api = await startPeopleApi({ ...choices, console: await openConsole() });
      onCleanup(() => api.close());
      const org = await api.makeOrg("Acme");
      const { user } = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
      return { api, org, user, shown: await ShownWorld.make(api, org) };
    })
    .extend("open", async ({ browser, world }, { onCleanup }) => {
      const windows: Watched[] = [];
      onCleanup(async () => {
        for (const { context } of windows) await context.close();
      });
      /** A window of the person, at this path. */
      return async (path: string, options: OpenOptions = {}): Promise<Watched & { page: Page }> => {
        const { signedIn = true, ...rest } = options;
        const { api, user } = world;
        const session = signedIn ? { sessionToken: await createSession(api.database.db, user) } : {};
        const window = await openWindow(browser, { baseUrl: api.baseUrl, ...session, ...rest });
        windows.push(window);
        await window.page.goto(path);
        return window;
      };
    });
}

type OpenOptions = Omit<Parameters<typeof openWindow>[1], "baseUrl" | "sessionToken"> & { signedIn?: boolean };
