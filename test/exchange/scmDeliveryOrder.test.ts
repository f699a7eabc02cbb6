/**
 * Signed deliveries of a push and a pull request's events, in any order and any number of times, with the inbox
 * worked on in between or not, while the host moves on: what is stored in the end is what the host says in the end
 * (docs/rules/source-control.md#a-delivery-is-a-hint).
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { branchKey } from "../../src/exchange/scm/inbox.ts";
import { processBranch } from "../../src/exchange/scm/processBranch.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { hostStack, makeIntegration, POLICY, type TestHosts, testHosts } from "../support/scm.ts";
import { type Delivered, ScriptedHost } from "../support/scriptedHost.ts";

let api: PeopleApi;
let host: ScriptedHost;
let hosts: TestHosts;
let commits: { main: string[]; head: string[] };

beforeAll(async () => {
  [api, host] = await Promise.all([startPeopleApi(), ScriptedHost.start()]);
  hosts = testHosts(2_000, api.keyring);
  const main = [await host.commit({ "a/main.tf": "1", "b/main.tf": "1" }), await host.commit({ "a/main.tf": "2" })];
  await host.commit({}, { branch: "next" });
  const head = [
    await host.commit({ "a/main.tf": "3" }, { branch: "feature" }),
    await host.commit({ "b/main.tf": "3" }, { branch: "feature" }),
  ];
  commits = { main, head };
});
afterAll(async () => {
  await hosts.egress.close();
  await Promise.all([host.stop(), api.close()]);
});

/** States of the host, each reached by the event that is delivered about it. */
const EVENTS = ["opened", "pushed", "synchronized", "retargeted"] as const;
type Event = (typeof EVENTS)[number];

async function happen(event: Event): Promise<void> {
  const pull = { number: 1, base: "main", head: "feature", sha: commits.head[0] as string };
  const synchronized = { ...pull, sha: commits.head[1] as string };
  if (event === "opened") host.setPull({ ...pull, files: [{ filename: "a/main.tf" }] });
  if (event === "pushed") await host.reset("main", commits.main[1] as string);
  if (event === "synchronized")
    host.setPull({ ...synchronized, files: [{ filename: "a/main.tf" }, { filename: "b/main.tf" }] });
  if (event === "retargeted") host.setPull({ ...synchronized, base: "next", files: [{ filename: "b/main.tf" }] });
}

const deliveryOf: Record<Event, () => Delivered> = {
  opened: () => host.pullRequest("opened", 1, "main", "d-opened"),
  pushed: () => host.push("main", commits.main[0] as string, commits.main[1] as string, "d-pushed"),
  synchronized: () => host.pullRequest("synchronize", 1, "main", "d-synchronized"),
  // A host tells the new base only.
  retargeted: () => host.pullRequest("edited", 1, "next", "d-retargeted"),
};

type Step = { event: Event; work: boolean };

/** An organization of its own; its history, then every delivery in `last`'s order, then what is left to do. */
async function play(story: readonly Step[], last: readonly Event[]) {
  const orgId = await api.makeOrg();
  const { id } = await makeIntegration(api.database, hosts.keyring, orgId, host);
  for (const branch of ["main", "next"]) {
    for (const working_directory of ["a", "b"]) {
      await hostStack(api.database, orgId, host, { branch, working_directory, last_compared_commit: commits.main[0] });
    }
  }
  host.pulls.clear();
  await host.reset("main", commits.main[0] as string);
  const deps = { service: api.service, hosts: hosts.hosts, policy: POLICY };
  const deliver = async (delivered: Delivered) => {
    const to = `/api/v1/orgs/${orgId}/scm-integrations/${id}/webhook`;
    expect((await api.call("POST", to, delivered)).status).toBe(202);
  };
  const work = async () => {
    // What was put off is due again: time is not what is tested here.
    await api.database.sql`update scm_events set due_at = svc_now() where org_id = ${orgId} and status = 'failed'`;
    for (const branch of ["main", "next"]) await processBranch(deps, branchKey(id, host.repositoryKey, branch));
  };
  for (const { event, work: now } of story) {
    await happen(event);
    await deliver(deliveryOf[event]());
    if (now) await work();
  }
  for (const event of EVENTS) await happen(event);
  for (const event of last) await deliver(deliveryOf[event]());
  // A delivery acts once, and on a real host the last event comes after the last change: here it is told anew.
  await deliver(host.push("main", commits.main[0] as string, commits.main[1] as string));
  for (const branch of ["main", "next"]) await deliver(host.pullRequest("edited", 1, branch));
  for (let round = 0; round < POLICY.maxAttempts; round++) await work();
  return ending(orgId);
}

async function ending(orgId: string) {
  const { sql } = api.database;
  const requests = await sql`
    select p.number, p.base_branch, p.head_sha, s.branch, s.working_directory
    from pull_requests p left join pull_request_stacks l on l.pull_request_id = p.id left join stacks s on s.stack_key = l.stack_key
    where p.org_id = ${orgId} order by s.branch, s.working_directory`;
  const live = await sql`
    select d.mode, d.commit_sha, d.status, s.branch, s.working_directory from deployments d join stacks s using (stack_key)
    where d.org_id = ${orgId} and d.status not in ('skipped', 'cancelled') order by d.mode, s.branch, s.working_directory`;
  const stacks = await sql`
    select branch, working_directory, last_compared_commit from stacks where org_id = ${orgId} order by branch, working_directory`;
  const inbox = await sql`select distinct status from scm_events where org_id = ${orgId}`;
  return { requests: [...requests], live: [...live], stacks: [...stacks], inbox: [...inbox] };
}

it("end in the same projection, previews and deployments", async () => {
  const calm = await play([], []);
  expect(calm.requests).toEqual([
    { number: 1, base_branch: "next", head_sha: commits.head[1], branch: "next", working_directory: "b" },
  ]);
  expect(calm.live).toEqual([
    { mode: "plan", commit_sha: commits.main[1], status: "pending", branch: "main", working_directory: "a" },
    { mode: "plan_unlocked", commit_sha: commits.head[1], status: "waiting", branch: "next", working_directory: "b" },
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ event: fc.constantFrom(...EVENTS), work: fc.boolean() }), { maxLength: 8 }),
      fc.shuffledSubarray([...EVENTS, ...EVENTS], { minLength: 8, maxLength: 8 }),
      async (story, last) => {
        expect(await play(story, last)).toEqual(calm);
      },
    ),
    { numRuns: 40 },
  );
});
