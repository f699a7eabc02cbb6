/** Embedded servers over a data directory that saw a crash. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import postgres from "postgres";
import { test as base, describe, expect } from "vitest";
import { isRunning } from "../../src/main/dev/child.ts";
import { type EmbeddedPostgres, startPostgres } from "../../src/main/dev/postgres.ts";
import { startTemporal } from "../../src/main/dev/temporal.ts";

async function query(server: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const sql = postgres(server.url("things"), { max: 1 });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

const test = base
  .extend("folder", () => mkdtemp(join(tmpdir(), "svc-servers-")))
  .extend("postmaster", ({ folder }) => async (): Promise<number> => {
    return Number((await readFile(join(folder, "pg/postmaster.pid"), "utf8")).split("\n")[0]);
  });

test.afterEach(async ({ folder }) => {
  await rm(folder, { recursive: true, force: true });
});

describe("embedded Postgres", () => {
  test("keeps what was committed when its server is killed, and starts again over the same directory", async ({
    postmaster,
    folder,
  }) => {
    const first = await startPostgres({ dataDir: join(folder, "pg") });
    await first.createDatabase("things");
    await query(first, "create table thing as select 7 as n");
    process.kill(await postmaster(), "SIGKILL");
    expect(await first.exited).toBe("signal SIGKILL");

    const second = await startPostgres({ dataDir: join(folder, "pg") });
    expect(await query(second, "select n from thing")).toEqual([{ n: 7 }]);
    await second.stop();
    expect(await second.exited).toBe("code 0");
  });

  test("stops a server that an earlier launcher left running over the directory", async ({ postmaster, folder }) => {
    const left = await startPostgres({ dataDir: join(folder, "pg") });
    await left.createDatabase("things");
    const pid = await postmaster();
    const second = await startPostgres({ dataDir: join(folder, "pg") });
    expect(await left.exited).toBe("code 0");
    expect(await isRunning(pid, folder)).toBe(false);
    expect(await query(second, "select 1 as n")).toEqual([{ n: 1 }]);
    await second.stop();
  });

  test("starts when the noted process id belongs to another program by now", async ({ folder }) => {
    const first = await startPostgres({ dataDir: join(folder, "pg") });
    const note = await readFile(join(folder, "pg/postmaster.pid"), "utf8");
    await first.stop();
    await writeFile(join(folder, "pg/postmaster.pid"), note.replace(/^\d+/, String(process.pid)));
    const second = await startPostgres({ dataDir: join(folder, "pg") });
    await second.stop();
  });
});

describe("the Temporal development server", () => {
  test("keeps workflows in its file when it is killed, and leaves no process on stop", async ({ folder }) => {
    const options = { dbFile: join(folder, "temporal.db"), ui: false };
    const first = await startTemporal(options);
    const connection = await Connection.connect({ address: first.address });
    const { namespace } = first;
    await new Client({ connection, namespace }).workflow.start("anything", { taskQueue: "none", workflowId: "kept" });
    await connection.close();
    process.kill(first.pid, "SIGKILL");
    await first.exited;

    const second = await startTemporal(options);
    const again = await Connection.connect({ address: second.address });
    const found = await new Client({ connection: again, namespace }).workflow.getHandle("kept").describe();
    expect(found.status.name).toBe("RUNNING");
    await again.close();
    await second.stop();
    expect(await isRunning(second.pid, folder)).toBe(false);
  });
});
