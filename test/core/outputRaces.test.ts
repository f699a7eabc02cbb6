/** What happens to outputs between a plan and its apply, and while an apply ends. */
import { describe, expect } from "vitest";
import { plain, outputsTest as test, text } from "../support/outputsTest.ts";
import { waitFor } from "../support/waitFor.ts";

test.afterEach(({ runners }) => expect(runners.unexpected).toEqual([]));

describe("a plan that waits for its confirm is applied with what it was made with", () => {
  const waiting = test.extend("waiting", async ({ world }) => {
    const { network, app, vpc } = world;
    await world.allow(app, network, true);
    await world.applied(network.key, [text("vpc_id", "vpc-1", true)]);
    const planning = await world.planning(app.key);
    await planning.plan.ask(vpc(network));
    return planning;
  });
  const kept = [{ ...plain("TF_VAR_vpc_id", "vpc-1"), secret: true }];
  const gone = ["output vpc_id of stack network: the stack gives this one no outputs"];

  waiting("although the output has become another", async ({ world, waiting: planning }) => {
    await world.applied(world.network.key, [text("vpc_id", "vpc-2")]);
    expect((await world.applying(planning)).context.environment).toEqual(kept);
  });

  waiting(
    "although its stack may have outputs no more, which its next plan hears of",
    async ({ world, waiting: planning }) => {
      const { network, app, vpc } = world;
      const removed = await world.call("DELETE", `${network.path}/output-readers/${app.slug}`);
      expect(removed.status).toBe(204);
      const apply = await world.applying(planning);
      expect(apply.context.environment).toEqual(kept);
      await apply.done({ status: "success" });
      const next = await world.planning(app.key);
      const { missing, waits } = await next.plan.ask(vpc(network));
      expect([missing.map((each) => each.replace(network.slug, "network")), waits]).toEqual([gone, false]);
    },
  );

  waiting("although the other stack is deleted", async ({ people, world, waiting: planning }) => {
    const { network, app, vpc } = world;
    expect((await world.call("DELETE", `${network.path}?force=true`)).status).toBe(204);
    const apply = await world.applying(planning);
    expect(apply.context.environment).toEqual(kept);
    await apply.done({ status: "success" });
    const next = await world.planning(app.key);
    expect(await next.plan.ask(vpc(network))).toMatchObject({ environment: [], waits: false });
    expect(await people.database.sql`select from output_waits where stack_key = ${app.key}`).toHaveLength(0);
  });
});

describe.each(["the plan asks first", "the apply ends first"] as const)("%s", (first) => {
  test("and the value is given or the stack is deployed after the apply, but never neither", async ({
    people,
    world,
  }) => {
    const { sql } = people.database;
    const { network, app, vpc } = world;
    await world.allow(app, network);
    const apply = await world.applying(await world.planning(network.key));
    await apply.tell([text("vpc_id", "vpc-1")]);
    const { plan } = await world.planning(app.key);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = sql.begin(async (tx) => {
      await tx`select from stacks where stack_key = ${network.key} for update`;
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const steps = [() => plan.ask(vpc(network)), () => apply.done({ status: "success" })] as const;
    const inTurn = first === "the plan asks first" ? [0, 1] : [1, 0];
    const begun: Promise<unknown>[] = [];
    for (const [count, step] of inTurn.entries()) {
      begun[step] = steps[step as 0 | 1]();
      await waitFor(
        async () =>
          (
            await sql`select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`
          ).length > count,
        { what: `${count + 1} to wait for the stack's row` },
      );
    }
    held.resolve();
    await holding;
    const [asked] = (await Promise.all(begun)) as [Awaited<ReturnType<typeof plan.ask>>, Response];
    const [ended] = await sql`
      select dependents_resolved_at is null as due from deployments where stack_key = ${network.key} and status = 'finished'`;
    expect(ended?.due || asked.environment.length === 1, JSON.stringify({ asked, ended })).toBe(true);
    if (asked.environment.length === 0) expect(asked.waits).toBe(true);
  });
});
