/**
 * `test` with what tests begin with. Each part is made when a test first asks for it, and ends with its file or its
 * test: a file has one database, cloned from the template. What a file needs besides it adds by `extend`. Servers are
 * loaded by those files only that start them.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as plain } from "vitest";
import type { openCore } from "./core.ts";
import { freshDatabase } from "./database.ts";
import { makeOrg, testService } from "./fixtures.ts";
import type { startPeopleApi } from "./peopleApi.ts";
import type { startRunnerApi } from "./runnerApi.ts";

/** An empty folder of the file's own. */
export const folderTest = plain.extend("folder", { scope: "file" }, async ({}, { onCleanup }) => {
  const folder = await mkdtemp(join(tmpdir(), "svc-test-"));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  return folder;
});

export function databaseTest(options: Parameters<typeof freshDatabase>[0] = {}) {
  return folderTest.extend("database", { scope: "file" }, async ({}, { onCleanup }) => {
    const database = await freshDatabase(options);
    onCleanup(() => database.close());
    return database;
  });
}

/** With an organization and a service of each test's own. */
export const test = databaseTest()
  .extend("service", ({ database }) => testService(database))
  .extend("org", ({ database }) => makeOrg(database));

/** With the API that runners call, at a server of the file's own. */
export function runnerTest(choices: Parameters<typeof startRunnerApi>[1] = {}) {
  return databaseTest().extend("api", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const { startRunnerApi } = await import("./runnerApi.ts");
    const api = await startRunnerApi(database, choices);
    onCleanup(() => api.close());
    return api;
  });
}

/** With a Temporal namespace and what sends to it; workers are the file's to start. */
export function coreTest(timeouts: Parameters<typeof openCore>[2] = {}) {
  return databaseTest()
    .extend("temporal", { scope: "file" }, async ({}, { onCleanup }) => {
      const { freshNamespace } = await import("./temporal.ts");
      const temporal = await freshNamespace();
      onCleanup(() => temporal.close());
      return temporal;
    })
    .extend("core", { scope: "file" }, async ({ database, temporal }, { onCleanup }) => {
      const { openCore } = await import("./core.ts");
      const core = openCore(database, temporal, timeouts);
      onCleanup(() => core.close());
      return core;
    });
}

/** With people's routes, and a database that belongs to them. */
export function peopleTest(choices: Parameters<typeof startPeopleApi>[0] = {}) {
  return folderTest.extend("api", { scope: "file" }, async ({}, { onCleanup }) => {
    const { startPeopleApi } = await import("./peopleApi.ts");
    const api = await startPeopleApi(choices);
    onCleanup(() => api.close());
    return api;
  });
}
