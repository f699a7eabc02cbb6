/** How each writing route is called so that it succeeds, on an organization with one of everything. */
import { createHash, randomUUID } from "node:crypto";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { Ids } from "./accessWorld.ts";
import { archiveOfFiles } from "./archive.ts";
import { applied } from "./cascades.ts";
import { ACTOR, claim, create, decide, uploadPlan } from "./fixtures.ts";
import type { Caller, CallOptions, PeopleApi } from "./peopleApi.ts";
import { BUNDLE, REGO } from "./policyFixtures.ts";

type Prepared = { ids?: Ids; body?: unknown; query?: string } & Pick<CallOptions, "headers">;
export type Prepare = (api: PeopleApi, ids: Ids, caller: Caller & { user: string }) => Promise<Prepared> | Prepared;

const body =
  (value: unknown): Prepare =>
  () => ({ body: value });

const keyOf = async ({ database }: PeopleApi, { org_id, stack_id }: Ids): Promise<string> =>
  (await database.sql`select stack_key from stacks where org_id = ${org_id!} and slug = ${stack_id!}`)[0]?.stack_key;

/** Another deployment of the stack, which waits behind the first. */
async function behind(api: PeopleApi, ids: Ids): Promise<string> {
  return create(api.service, await keyOf(api, ids), { actor: ACTOR });
}

/** The stack with a version of its state, and with a lock that the caller of the sample has. */
async function stated(
  api: PeopleApi,
  ids: Ids,
  { lock, ...prepared }: { lock?: string; query?: string; body?: unknown },
): Promise<Prepared> {
  const { sql } = api.database;
  const stackKey = await keyOf(api, ids);
  const id = randomUUID();
  const place = { table: "state_versions", column: "object_key", rowId: id };
  const body = JSON.stringify({ version: 4, serial: 1, lineage: "l", resources: [] });
  const { size, sha256 } = await api.objects.putSealed(`states/${id}`, place, Buffer.from(body));
  await sql`
    insert into state_versions (id, org_id, stack_key, object_key, origin, number, serial, lineage, size, sha256)
    values (${id}, ${ids.org_id!}, ${stackKey}, ${`states/${id}`}, 'push', 1, 1, 'l', ${size}, ${sha256})`;
  await sql`
    insert into stack_states (stack_key, org_id, version_id, last_number, lock_id, lock_info, locked_at, locked_by, locked_by_kind)
    values (${stackKey}, ${ids.org_id!}, ${id}, 1, ${lock ?? null}, ${lock ? sql.json({ ID: lock }) : null},
      ${lock ? new Date() : null}, ${lock ? "somebody" : null}, ${lock ? "user" : null})`;
  return { ids: { ...ids, version_id: id }, body: { ...JSON.parse(body), serial: 2 }, ...prepared };
}

/** The deployment planned: it waits for a person. */
async function planned(api: PeopleApi, ids: Ids): Promise<void> {
  const { runId, runnerId } = await claim(api.database, { orgId: ids.org_id!, groupId: ids.group_id! }, ids.id!);
  await acceptRun(api.service, runId, runnerId);
  await uploadPlan(api.database, runId);
  const counts = { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
  const plan_summary = { has_changes: true, counts, gaps: [] };
  await reportDone(api.service, runId, runnerId, { status: "success", plan_summary });
}

async function dependentOfApply(api: PeopleApi, ids: Ids): Promise<Prepared> {
  const { sql } = api.database;
  await sql`update stacks set auto_approve_mode = 'auto' where org_id = ${ids.org_id!}`;
  await decide(api.service, api.database, ids.id!, "cancel");
  const org = { orgId: ids.org_id!, groupId: ids.group_id! };
  const parent = await applied(api.service, api.database, org, await keyOf(api, ids));
  await sql`
    insert into dependent_triggers (parent_deployment_id, dependent_stack_key, org_id, dependent_stack_created_at, trigger,
      evidence, due_at)
    select ${parent}, stack_key, org_id, created_at, 'manual', 'declared', created_at from stacks
    where org_id = ${ids.org_id!} and slug = ${ids.dependent_stack_id!}`;
  return { ids: { ...ids, id: parent } };
}

/** A preview of a pull request that is open, planned to its end. */
async function previewed(api: PeopleApi, ids: Ids): Promise<Prepared> {
  const { sql } = api.database;
  const stackKey = await keyOf(api, ids);
  const head = "9".repeat(40);
  await decide(api.service, api.database, ids.id!, "cancel");
  const [request] = await sql`
    insert into pull_requests (org_id, repository_key, base_branch, number, head_sha, head_branch, title, url, is_fork,
      files_complete, host_updated_at)
    values (${ids.org_id!}, 'git.example/r', 'main', 1, ${head}, 'feature', 't', 'u', false, true, svc_now()) returning id`;
  const pullRequest = {
    id: request?.id,
    number: 1,
    generation: 1,
    headSha: head,
    title: "t",
    url: "u",
    body: "",
    eventId: null,
  };
  const preview = await create(api.service, stackKey, {
    mode: "plan_unlocked",
    commitSha: head,
    originType: "pull_request",
    pullRequest,
  });
  await sql`insert into pull_request_stacks (pull_request_id, stack_key, latest_deployment_id)
    values (${request?.id}, ${stackKey}, ${preview})`;
  await planned(api, { ...ids, id: preview });
  return {};
}

const SOURCE = archiveOfFiles({ "main.tf": "" });
const SHA256 = createHash("sha256").update(SOURCE).digest("hex");
const upload = { body: SOURCE, headers: { "content-type": "application/gzip" }, query: `?sha256=${SHA256}` };

const stackSettings = { name: "replaced", repository_url: "https://git.example/r", branch: "main" };

const alive: Prepare = async ({ call }, { org_id, stack_id }, caller) => {
  const lifetime = { expires_at: "2099-01-01T00:00:00Z", reason: "demo" };
  await call("PUT", `/api/v1/orgs/${org_id}/stacks/${stack_id}/lifetime`, { ...caller, body: lifetime });
  return {};
};

/** By operation id; a route that is not here is called with the body of the access table. */
export const PREPARED: Record<string, Prepare> = {
  createPersonalToken: (_, { org_id }) => ({ body: { name: "t", org_id } }),
  deletePersonalToken: async ({ call }, ids, caller) => {
    const made = await call("POST", "/api/v1/me/tokens", { ...caller, body: { name: "t", org_id: ids.org_id } });
    return { ids: { ...ids, token_id: made.body.id } };
  },
  endSession: async ({ database }, _, { user }) => {
    const [session] = await database.sql`insert into sessions (user_id, token_sha256, csrf_sha256, expires_at)
      values (${user}, sha256(uuidv7()::text::bytea), sha256('-'), svc_now() + interval '1 hour') returning id`;
    return { ids: { session_id: session?.id } };
  },
  checkProof: async ({ database }, ids) => {
    await database.sql`update organization_proofs set token = 'known' where id = ${ids.proof_id!}`;
    return {};
  },
  acceptMembershipOffer: async ({ database, makeOrg }, _, { user }) => {
    const [offer] = await database.sql`insert into membership_offers (org_id, user_id, source, expires_at)
      values (${await makeOrg()}, ${user}, 'manual', svc_now() + interval '1 day') returning id`;
    return { ids: { offer_id: offer?.id } };
  },
  declineMembershipOffer: async ({ database, makeOrg }, _, { user }) => {
    const [offer] = await database.sql`insert into membership_offers (org_id, user_id, source, expires_at)
      values (${await makeOrg()}, ${user}, 'manual', svc_now() + interval '1 day') returning id`;
    return { ids: { offer_id: offer?.id } };
  },
  addMember: async ({ makeUser }) => ({ body: { user_id: (await makeUser()).user } }),
  replaceInvitation: (_, { role_id }) => ({ body: { role_ids: [role_id] } }),
  replaceStackSettings: body(stackSettings),
  changeStackSettings: body({ branch: "next" }),
  deleteStack: async (api, ids) => {
    await decide(api.service, api.database, ids.id!, "cancel");
    return {};
  },
  holdStack: body({ reason: "freeze" }),
  releaseStack: async ({ call }, { org_id, stack_id }, caller) => {
    await call("POST", `/api/v1/orgs/${org_id}/stacks/${stack_id}/hold`, { ...caller, body: { reason: "freeze" } });
    return {};
  },
  replaceStackDriftPolicy: body({ interval: "P1D" }),
  deleteStackDriftPolicy: async ({ call }, { org_id, stack_id }, caller) => {
    await call("PUT", `/api/v1/orgs/${org_id}/stacks/${stack_id}/drift`, { ...caller, body: { interval: "P1D" } });
    return {};
  },
  checkStackDrift: async (api, ids) => {
    await api.database.sql`update stacks set auto_approve_mode = 'auto' where org_id = ${ids.org_id!}`;
    await decide(api.service, api.database, ids.id!, "cancel");
    await applied(api.service, api.database, { orgId: ids.org_id!, groupId: ids.group_id! }, await keyOf(api, ids));
    return {};
  },
  replacePolicy: body({ name: "replaced", enforcement: "mandatory", version: null }),
  createPolicyFromRego: () => ({ body: REGO, headers: { "content-type": "text/plain" } }),
  createPolicyFromBundle: () => ({ body: BUNDLE, headers: { "content-type": "application/gzip" } }),
  evaluatePolicies: async (api, ids) => {
    await planned(api, ids);
    return {};
  },
  overridePolicies: async (api, ids) => {
    await planned(api, ids);
    const [run] = await api.database.sql`select id from runs where deployment_id = ${ids.id!}`;
    await api.database.sql`insert into policy_evaluations (org_id, deployment_id, plan_run_id, status, outcome)
      values (${ids.org_id!}, ${ids.id!}, ${run?.id}, 'done', 'denied')`;
    return { body: { plan_run_id: run?.id, reason: "the restore is tested" } };
  },
  changeSchedule: body({ name: "by night" }),
  changeStackSchedule: body({ name: "by night" }),
  prolongStackLifetime: async (api, ids, caller) => {
    await alive(api, ids, caller);
    return { body: { extend_by: "P1D", reason: "late" } };
  },
  removeStackLifetime: alive,
  replaceProtectedLabels: body({ keys: ["env"] }),
  replaceContext: body({ name: "replaced", selector: {}, variables: [] }),
  replaceRunnerGroup: body({ name: "replaced" }),
  changeRunnerGroup: body({ max_concurrent_runs: 3 }),
  assignRole: async ({ database }, ids) => {
    await database.sql`delete from role_assignments where user_id = ${ids.user_id!} and role_id = ${ids.role_id!}`;
    return { body: { role_id: ids.role_id, user_id: ids.user_id } };
  },
  createDeployment: body({ mode: "plan" }),
  retryDeployment: async (api, ids) => {
    await decide(api.service, api.database, ids.id!, "cancel");
    return {};
  },
  reviewDeployment: async (api, ids) => {
    await planned(api, ids);
    const [run] = await api.database.sql`select id from runs where deployment_id = ${ids.id!}`;
    return { body: { verdict: "reject", plan_run_id: run?.id } };
  },
  confirmDeployment: async (api, ids) => {
    await planned(api, ids);
    return { body: { action: "apply" } };
  },
  confirmPreviewDeployment: async (api, ids) => {
    const parked = { mode: "plan_unlocked", parked: true, actor: ACTOR } as const;
    return { ids: { ...ids, id: await create(api.service, await keyOf(api, ids), parked) } };
  },
  skipDeployment: async (api, ids) => ({ ids: { ...ids, id: await behind(api, ids) } }),
  skipDeployments: async (api, ids) => ({ body: { ids: [await behind(api, ids)] } }),
  cancelDeployment: body({}),
  cancelDeployments: (_, { id }) => ({ body: { ids: [id] } }),
  deprioritizeDeployment: async (api, ids) => {
    await decide(api.service, api.database, ids.id!, "prioritize");
    return {};
  },
  deployDependent: dependentOfApply,
  refreshPullRequests: async ({ database }, { integration_id }) => {
    await database.sql`update scm_integrations set url_pattern = '^https://git\\.example/' where id = ${integration_id!}`;
    return {};
  },
  promotePullRequest: previewed,
  putCloudIntegration: body({
    provider_type: "cloud_b",
    config: { service_account_email: "other@acme.iam.gserviceaccount.com" },
  }),
  testScmIntegration: async ({ database }, { integration_id }) => {
    await database.sql`
      update scm_integrations set url_pattern = '^https://127', api_base_url = 'https://127.0.0.1:1/api/v3' where id = ${integration_id!}`;
    return { body: { repository_url: "https://127.0.0.1/acme/infra.git" } };
  },
  replaceScmIntegration: body({ name: "replaced", url_pattern: "^y" }),
  replaceNotificationIntegration: body({ name: "replaced", events: ["stack_created"] }),
  runCommand: body({ script: "true" }),
  writeState: (api, ids) => stated(api, ids, { lock: "mine", query: "?ID=mine" }),
  deleteState: (api, ids) => stated(api, ids, {}),
  lockState: () => ({ body: { ID: "mine" } }),
  unlockState: (api, ids) => stated(api, ids, { lock: "mine", query: "?ID=mine" }),
  forceUnlockState: (api, ids) => stated(api, ids, { lock: "mine", body: { reason: "left" } }),
  restoreStateVersion: async (api, ids) => {
    await decide(api.service, api.database, ids.id!, "cancel");
    return stated(api, ids, { body: { reason: "wrong" } });
  },
  setOutputReader: body({ sensitive: true }),
  removeOutputReader: async ({ database }, { org_id, stack_id, dependent_stack_id }) => {
    await database.sql`
      insert into output_readers (stack_key, reader_key, org_id, sensitive)
      select s.stack_key, r.stack_key, s.org_id, false from stacks s join stacks r on r.org_id = s.org_id
      where s.org_id = ${org_id!} and s.slug = ${stack_id!} and r.slug = ${dependent_stack_id!}`;
    return {};
  },
  uploadLocalSource: () => upload,
  createLocalPlan: async ({ call }, { org_id, stack_id }, caller) => {
    const path = `/api/v1/orgs/${org_id}/stacks/${stack_id}/local-sources${upload.query}`;
    const { body: stored } = await call("POST", path, { ...caller, body: upload.body, headers: upload.headers });
    const { local_source_key, local_source_sha256 } = stored;
    return { body: { local_source_key, local_source_sha256 } };
  },
};
