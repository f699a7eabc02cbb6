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
      const { sql } = api.database;
      await sql`update users set display_name = 'Ada' where id = ${user}`;
      await sql`update organizations set runs_per_hour_limit = 60 where id = ${org}`;
      return { api, org, user, shown: await ShownWorld.make(api, org, user) };
    })
    .extend("open", async ({ browser, world }, { onCleanup }) => {
      const windows: Watched[] = [];
      onCleanup(async () => {
        for (const { context } of windows) await context.close();
      });
      /** A window at this path, of the person, of another one, or of nobody. */
      return async (path: string, options: OpenOptions = {}): Promise<Watched & { page: Page }> => {
        const { signedIn = true, ...rest } = options;
        const { api } = world;
        const user = signedIn === true ? world.user : signedIn;
        const session = user === false ? {} : { sessionToken: await createSession(api.database.db, user) };
        const window = await openWindow(browser, { baseUrl: api.baseUrl, ...session, ...rest });
        windows.push(window);
        await window.page.goto(path);
        return window;
      };
    });
}

type OpenOptions = Omit<Parameters<typeof openWindow>[1], "baseUrl" | "sessionToken"> & { signedIn?: boolean | string };
