/** Two stacks whose runs a test carries out by hand: one leaves outputs, the other asks for them. */
import { randomBytes } from "node:crypto";
import { test as base, expect } from "vitest";
import type { InputsAnswer, ReportedOutput, WantedInput } from "../../src/core/runs/outputs.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { create, decide, makeStack } from "./fixtures.ts";
import { startPeopleApi } from "./peopleApi.ts";
import { coordinator, makeGroup, PLAN_WITH_CHANGES, runner, startRunnerApi } from "./runnerApi.ts";

export const KEY = randomBytes(32);
/** A text of this name. */
export const text = (name: string, value: string, sensitive = false): ReportedOutput => ({
  name,
  type: '"string"',
  sensitive,
  value: JSON.stringify(value),
});
export const plain = (name: string, value: string) => ({ name, value, secret: false });

export const outputsTest = base
  .extend("people", { scope: "file" }, async ({}, { onCleanup }) => {
    const people = await startPeopleApi({
      keyring: createKeyring({ provider: "aes-256", key: KEY, previousKeys: [] }),
    });
    onCleanup(() => people.close());
    return people;
  })
  .extend("runners", { scope: "file" }, async ({ people }, { onCleanup }) => {
    const runners = await startRunnerApi(people.database, { keyring: people.keyring, objects: people.objects });
    onCleanup(() => runners.close());
    return runners;
  })
  .extend("world", async ({ people, runners }) => {
    const { database } = people;
    const { sql } = database;
    const org = await people.makeOrg();
    await sql`update organizations set runs_per_hour_limit = 1000 where id = ${org}`;
    const owner = await people.makeAccount(org, [["*", "*"]]);
    const group = await makeGroup(database, org);

    async function stack() {
      const key = await makeStack(database, org);
      const [row] = await sql`select slug from stacks where stack_key = ${key}`;
      const slug = row?.slug as string;
      return { key, slug, path: `/api/v1/orgs/${org}/stacks/${slug}` };
    }

    async function accepted() {
      const one = await runner(runners, group, await (await coordinator(runners, group)).claim(5));
      const answer = await one.accept();
      expect(answer.status).toBe(200);
      const ask = async (...inputs: WantedInput[]) => {
        const asked = await one.call("POST", `/runs/${one.run_id}/inputs`, { inputs });
        expect(asked.status).toBe(200);
        return (await asked.json()) as InputsAnswer;
      };
      const tell = (outputs: ReportedOutput[] | null) => one.call("PUT", `/runs/${one.run_id}/outputs`, { outputs });
      return { ...one, ask, tell, context: (await answer.json()) as RunContext };
    }

    async function planning(key: string, input: Parameters<typeof create>[2] = {}) {
      const id = await create(runners.service, key, input);
      return { id, plan: await accepted() };
    }

    async function applying({ id, plan }: { id: string; plan: Awaited<ReturnType<typeof accepted>> }) {
      await plan.upload("plan", randomBytes(100));
      await plan.done(PLAN_WITH_CHANGES);
      await decide(runners.service, database, id, "confirm", { action: "apply" } as never);
      return accepted();
    }

    /** An apply that leaves these; `undefined` is one whose runner says nothing of them. */
    async function applied(key: string, outputs: ReportedOutput[] | null | undefined, status = "success") {
      const apply = await applying(await planning(key));
      if (outputs !== undefined) expect((await apply.tell(outputs)).status).toBe(204);
      await apply.done({ status });
      return apply;
    }

    const call = (method: string, path: string, body?: unknown, token = owner.token) =>
      people.call(method, path, { token, ...(body !== undefined && { body }) });

    async function allow(reader: { slug: string }, have: { path: string }, sensitive = false) {
      const answer = await call("PUT", `${have.path}/output-readers/${reader.slug}`, { sensitive });
      expect(answer.status, answer.text).toBe(200);
    }

    const vpc = (of: { slug: string }, output = "vpc_id"): WantedInput => ({
      variable: `TF_VAR_${output}`,
      from_stack: of.slug,
      output,
    });

    const [network, app] = [await stack(), await stack()];
    return { org, owner, stack, network, app, accepted, planning, applying, applied, call, allow, vpc };
  });
