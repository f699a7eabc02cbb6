/** The ground that every other system test stands on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { freshNamespace } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

describe("a test database", () => {
  let one: TestDatabase;
  let two: TestDatabase;
  beforeAll(async () => {
    [one, two] = await Promise.all([freshDatabase(), freshDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
  });

  it("is migrated and apart from others", async () => {
    await one.sql`insert into organizations (name, runs_per_hour_limit) values ('one', 1)`;
    expect((await one.sql`select name from organizations`).map((row) => row.name)).toEqual(["one"]);
    expect(await two.sql`select name from organizations`).toHaveLength(0);
  });

  it("has a clock that moves, for statements prepared before too", async () => {
    const drift = async () => {
      const [row] = await one.sql`select extract(epoch from svc_now() - clock_timestamp())::float8 as seconds`;
      return Math.round(row?.seconds);
    };
    expect(await drift()).toBe(0);
    await one.advanceClock(3_600_000);
    await one.advanceClock(60_000);
    expect(await drift()).toBe(3_660);
    await one.setClock("2031-01-01T00:00:00Z");
    const [row] = await one.sql`select svc_now() between '2031-01-01' and '2031-01-01 00:01' as near`;
    expect(row?.near).toBe(true);
    const [other] = await two.sql`select svc_now() <= clock_timestamp() as real`;
    expect(other?.real).toBe(true);
  });
});

describe("a test namespace", () => {
  it("takes a workflow with our search attributes at once", async () => {
    await using temporal = await freshNamespace();
    const handle = await temporal.client.workflow.start("anything", {
      taskQueue: "none",
      workflowId: "deployment/1",
      searchAttributes: { OrgId: ["org-1"], StackKey: ["stack-1"] },
    });
    const found = await waitFor(
      async () => {
        for await (const execution of temporal.client.workflow.list({ query: `OrgId = "org-1"` })) return execution;
        return undefined;
      },
      { what: "the workflow to be listed by its organization" },
    );
    expect(found.workflowId).toBe("deployment/1");
    await handle.terminate();
  });
});

describe("waitFor", () => {
  it("says what it waited for and why not", async () => {
    const never = waitFor(() => Promise.reject(new Error("still closed")), { what: "the door", timeoutMs: 60 });
    await expect(never).rejects.toThrow(/60 ms for the door; last: Error: still closed/);
  });
});
