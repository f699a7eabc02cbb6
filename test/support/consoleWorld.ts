/** An organization as people meet one: stacks with work in every state, for the console to show. */
import { insertGroup } from "../../bench/harness/rows.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { repositoryKey } from "../../src/core/stacks/repositoryUrl.ts";
import { makeEdges } from "./dependencies.ts";
import { claim, create, decide, makeStack, type TestOrg, testService, uploadPlan } from "./fixtures.ts";
import type { PeopleApi } from "./peopleApi.ts";

const REPOSITORY = "https://git.example/acme/infrastructure.git";

export type ShownStack = { key: string; slug: string };
type Counts = Partial<Record<"add" | "change" | "destroy" | "replace" | "import" | "forget" | "move", number>>;

export class ShownWorld {
  readonly api: PeopleApi;
  readonly org: TestOrg;
  readonly service;

  /** Who deploys. */
  readonly user: string;

  private constructor(api: PeopleApi, org: TestOrg, user: string) {
    this.api = api;
    this.org = org;
    this.user = user;
    this.service = testService(api.database);
  }

  static async make(api: PeopleApi, orgId: string, user: string): Promise<ShownWorld> {
    const group = await insertGroup(api.database.sql, orgId, { name: "eu-1", capacity: 8 });
    await api.database.sql`update runner_groups set last_contact_at = svc_now() where id = ${group.groupId}`;
    return new ShownWorld(api, { ...group, orgId, id: group.groupId }, user);
  }

  async stack(name: string, labels: Record<string, string> = {}): Promise<ShownStack> {
    const key = await makeStack(this.api.database, this.org.orgId, {
      ...{ name, slug: name, labels, working_directory: `live/${name}` },
      repository_url: REPOSITORY,
    });
    return { key, slug: name };
  }

  deploy({ key }: ShownStack, message: string, input: Parameters<typeof create>[2] = {}): Promise<string> {
    const actor = { id: this.user, kind: "user" } as const;
    return create(this.service, key, { actor, commitMessage: message, commitAuthor: "ada", ...input });
  }

  /** Claimed by a runner that works on it. @returns how to end it */
  async begin(id: string): Promise<(report: { counts?: Counts; error?: string }) => Promise<void>> {
    const { service, org } = this;
    const { runId, runnerId } = await claim(this.api.database, org, id);
    await acceptRun(service, runId, runnerId);
    return async ({ counts = {}, error }) => {
      if (error !== undefined) {
        await reportDone(service, runId, runnerId, { status: "failure", exit_code: 1, error });
        return;
      }
      await uploadPlan(this.api.database, runId);
      const all = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0, ...counts };
      const has_changes = Object.values(counts).some((count) => count > 0);
      await reportDone(service, runId, runnerId, {
        status: "success",
        plan_summary: { has_changes, counts: all, gaps: [] },
      });
    };
  }

  async planned(stack: ShownStack, message: string, counts: Counts): Promise<string> {
    const id = await this.deploy(stack, message);
    await (await this.begin(id))({ counts });
    return id;
  }

  async failed(stack: ShownStack, message: string): Promise<string> {
    const id = await this.deploy(stack, message);
    await (await this.begin(id))({ error: "Error: creating VPC: UnauthorizedOperation" });
    return id;
  }

  /** An open one that touches the stack, with its preview under way. */
  async pullRequest({ key }: ShownStack, number: number, title: string): Promise<void> {
    const { sql } = this.api.database;
    const head = `${number}`.repeat(20);
    const url = `https://git.example/acme/infrastructure/pulls/${number}`;
    const [request] = await sql`
      insert into pull_requests (org_id, repository_key, base_branch, number, head_sha, head_branch, title, url, author,
        is_fork, files_complete, host_updated_at)
      values (${this.org.orgId}, ${repositoryKey(REPOSITORY)}, 'main', ${number}, ${head}, 'modules', ${title}, ${url},
        'grace', false, true, svc_now()) returning id`;
    const pullRequest = { id: request?.id, number, generation: 1, headSha: head, title, url, body: "", eventId: null };
    const mode = "plan_unlocked";
    const preview = await create(this.service, key, { mode, commitSha: head, originType: "pull_request", pullRequest });
    await sql`
      insert into pull_request_stacks (pull_request_id, stack_key, latest_deployment_id)
      values (${request?.id}, ${key}, ${preview}) on conflict (pull_request_id, stack_key) do nothing`;
  }

  async skip(id: string): Promise<void> {
    await decide(this.service, this.api.database, id, "skip");
  }
}

/** The one that pictures show. */
export async function fillWorld(world: ShownWorld): Promise<Record<"network" | "database" | "dns", ShownStack>> {
  const network = await world.stack("network-prod", { env: "prod", team: "platform" });
  const database = await world.stack("database-prod", { env: "prod", team: "data" });
  const dns = await world.stack("dns", { team: "platform" });
  await world.planned(network, "Name the subnets after their zones", {});
  await world.planned(network, "Fix moved resource\n\nIt was renamed.", { add: 3, change: 1, destroy: 1, replace: 1 });
  await world.deploy(network, "Open the port of the metrics");
  await world.deploy(network, "Take the old peering away", { mode: "destroy" });
  await world.failed(database, "A larger instance");
  await world.begin(await world.deploy(database, "A larger instance, where there are some"));
  await world.planned(dns, "A record for the console", { add: 1 });
  for (const name of ["app-staging", "app-prod", "monitoring", "registry"]) {
    const stack = await world.stack(name, { env: name.endsWith("prod") ? "prod" : "staging" });
    await world.planned(stack, "Nothing new", {});
  }
  await world.stack("sandbox");
  const { database: rows } = world.api;
  await makeEdges(rows, world.org.orgId, [
    { from: database.key, slug: network.slug, trigger: "always" },
    { from: network.key, on: dns.key },
  ]);
  await world.pullRequest(network, 41, "Show the modules by their source");
  await world.api.database
    .sql`update stacks set held_at = svc_now(), held_by = ${world.user}, hold_reason = 'the provider has an outage'
    where org_id = ${world.org.orgId} and slug = 'registry'`;
  return { network, database, dns };
}
