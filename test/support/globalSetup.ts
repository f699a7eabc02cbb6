/**
 * One Postgres and one Temporal server for the whole system test run, a migrated template database, one workflow
 * bundle.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";
import { buildConsole } from "../../src/main/dev/consoleBuild.ts";
import { findEngine, withEngine } from "../../src/main/dev/engine.ts";
import { type EmbeddedPostgres, startPostgres } from "../../src/main/dev/postgres.ts";
import { startTemporal } from "../../src/main/dev/temporal.ts";
import { bundleWorkflows } from "../../src/orchestration/temporal/bundle.ts";
import { migrate, migrateExplore } from "../../src/platform/db/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the maintenance database, from which tests make and drop their own. */
    postgresUrl: string;
    /** Name of the migrated database that tests clone. */
    templateDatabase: string;
    /** host:port of the Temporal server; each test file makes a namespace of its own. */
    temporalAddress: string;
    /** File with the bundled workflows, for `workflowBundle: { codePath }`. */
    workflowBundlePath: string;
  }
}

const TEMPLATE = "svc_template";

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "svc-test-"));
  const cleanUp: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const tearDown = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    const [postgres, temporal, bundle, engine] = await Promise.all([
      startPostgres({ dataDir: join(folder, "postgres"), logFile: join(folder, "postgres.log"), fast: true }).then(
        async (server) => {
          cleanUp.push(() => server.stop());
          await makeTemplate(server);
          return server;
        },
      ),
      startTemporal({ ui: false, logFile: join(folder, "temporal.log") }).then((server) => {
        cleanUp.push(() => server.stop());
        return server;
      }),
      bundleWorkflows(),
      findEngine(),
      buildConsole((line) => console.error(line)),
      // Unpacked once, before two files want it at the same moment.
      process.env.CHROMIUM_PATH ?? chromium.executablePath(),
    ]);
    // The processes of the tests inherit it: where no engine is installed, they find the one that was fetched.
    process.env.PATH = withEngine(process.env, engine).PATH;
    const bundlePath = join(folder, "workflows.js");
    await writeFile(bundlePath, bundle.code);
    project.provide("postgresUrl", postgres.url("postgres"));
    project.provide("templateDatabase", TEMPLATE);
    project.provide("temporalAddress", temporal.address);
    project.provide("workflowBundlePath", bundlePath);
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}

async function makeTemplate(server: EmbeddedPostgres): Promise<void> {
  await server.createDatabase(TEMPLATE);
  await migrate(server.url(TEMPLATE));
  // The two may share a database, and in tests they do.
  await migrateExplore(server.url(TEMPLATE));
}
