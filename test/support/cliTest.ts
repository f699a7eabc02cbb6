/**
 * The command line against the real API, with runs that a test carries out by hand: what is planned, said and refused
 * is up to it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as plain } from "vitest";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { HEAD } from "./cascades.ts";
import { CliProgram, type Started } from "./cliProgram.ts";
import type { Group } from "./fixtures.ts";
import { callsBefore, callsNow, olderService } from "./olderService.ts";
import { type PeopleApi, startPeopleApi } from "./peopleApi.ts";
import { type Claimed, coordinator, makeGroup, PLAN_WITH_CHANGES, runner } from "./runnerApi.ts";
import { waitFor } from "./waitFor.ts";

const COUNTS = { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };

/** What a run ends with. */
export const PLANS = {
  changes: PLAN_WITH_CHANGES,
  nothing: { status: "success", plan_summary: { has_changes: false, counts: { ...COUNTS, add: 0 }, gaps: [] } },
  destroys: { status: "success", plan_summary: { has_changes: true, counts: { ...COUNTS, destroy: 1 }, gaps: [] } },
} as const;

type Run = Awaited<ReturnType<typeof runner>>;

export type CliWorld = {
  api: PeopleApi;
  org: string;
  token: string;
  /** A new stack's id. */
  stack(): Promise<string>;
  /** The program, as the organization's admin. */
  start(args: readonly string[], started?: Started): CliProgram;
  run(args: readonly string[], started?: Started): ReturnType<typeof CliProgram.run>;
  /** The next run, accepted. */
  nextRun(): Promise<Run>;
  /** It ends so. */
  finish(run: Run, end: object): Promise<void>;
  /** It is planned, with this log and end. */
  plan(end: object, log?: string): Promise<void>;
  apply(end?: object, log?: string): Promise<void>;
};

export const cliTest = plain
  .extend("api", { scope: "file" }, async ({}, { onCleanup }) => {
    let running: PeopleApi | undefined;
    const service = () => running!.service;
    const api = await startPeopleApi({
      hints: true,
      git: { allowProtocol: ["https"], checkHost: async () => {}, headAtHost: async () => HEAD },
      sender: {
        decide: (_deployment, _kind, decisionId) => carryOutDecision(service(), decisionId, "api"),
        decideMany: (batchId) => carryOutBatch(service(), batchId),
      },
      env: { SVC_SSO_REQUESTS_PER_MINUTE: "10000" },
    });
    running = api;
    onCleanup(() => api.close());
    return api;
  })
  .extend("folder", async ({}, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), "svc-cli-"));
    onCleanup(() => rm(folder, { recursive: true, force: true }));
    return folder;
  })
  .extend("world", async ({ api, folder }, { onCleanup }): Promise<CliWorld> => {
    const programs: CliProgram[] = [];
    onCleanup(async () => void (await Promise.all(programs.map((program) => program.end()))));
    const org = await api.makeOrg();
    await api.database.sql`update organizations set runs_per_hour_limit = 100000 where id = ${org}`;
    const { token } = await api.makeAccount(org, [["*", "*"]]);
    const group = await makeGroup(api.database, org);
    await api.database.sql`update organizations set default_runner_group_id = ${group.id} where id = ${org}`;
    const base = { base: `${api.baseUrl}/api/v1` };
    const env = {
      DEPLOY_HOST: api.baseUrl,
      DEPLOY_TOKEN: token,
      DEPLOY_ORG: org,
      DEPLOY_CONFIG_DIR: join(folder, "config"),
    };
    const started = (given: Started = {}): Started => ({ cwd: folder, ...given, env: { ...env, ...given.env } });
    let stacks = 0;
    const nextRun = async () => {
      const claimed = await claimOne(base, group);
      const accepted = await runner(base, group, claimed);
      const answer = await accepted.accept();
      if (!answer.ok) throw new Error(`accept answered ${answer.status}: ${await answer.text()}`);
      return accepted;
    };
    const finish = async (run: Run, end: object, log: string) => {
      if (log !== "") await run.seal(0, Buffer.from(log));
      await api.database.sql`insert into artifacts (run_id, kind, object_key, size, sha256)
        values (${run.run_id}, 'plan', 'k', 1, ${"ab".repeat(32)})`;
      const answer = await run.done(end);
      if (!answer.ok) throw new Error(`done answered ${answer.status}: ${await answer.text()}`);
    };
    return {
      api,
      org,
      token,
      async stack() {
        const name = `stack-${++stacks}`;
        const body = { name, repository_url: "https://git.example/acme/infra.git", branch: "main" };
        const made = await api.call("POST", `/api/v1/orgs/${org}/stacks`, { token, body });
        if (made.status !== 201) throw new Error(made.text);
        return made.body.id;
      },
      start(args, given) {
        const program = CliProgram.start(args, started(given));
        programs.push(program);
        return program;
      },
      run: (args, given) => CliProgram.run(args, started(given)),
      nextRun,
      finish: (run, end) => finish(run, end, ""),
      plan: async (end, log = "planned\n") => finish(await nextRun(), end, log),
      apply: async (end = { status: "success" }, log = "applied\n") => finish(await nextRun(), end, log),
    };
  })
  .extend("old", async ({ api }, { onCleanup }) => {
    const services: { close(): void }[] = [];
    onCleanup(() => {
      for (const service of services) service.close();
    });
    /** Of before there was anything for clients; or of today, without the calls of one path. */
    return async (without?: string) => {
      const calls =
        without === undefined ? callsBefore() : callsNow().filter(({ call }) => !call.endsWith(` ${without}`));
      const service = await olderService(api.baseUrl, calls);
      services.push(service);
      return service.url;
    };
  });

/** Of its newest deployment. */
export async function statusOf({ api, org, token }: CliWorld, stack: string): Promise<string> {
  const { body } = await api.call("GET", `/api/v1/orgs/${org}/stacks/${stack}/deployments`, { token });
  return body.items[0].status;
}

async function claimOne(base: { base: string }, group: Group): Promise<Claimed> {
  const { poll } = await coordinator(base, group);
  const claim = async () => {
    const answer = await poll(5);
    return answer.status === 200 && ((await answer.json()) as Claimed);
  };
  return waitFor(claim, { what: "a run to claim", timeoutMs: 60_000 });
}
