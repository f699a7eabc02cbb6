/**
 * Deliveries in any order, any number of times, with asks that overlap: the projection ends the same
 * (docs/rules/pull-requests.md#the-projection).
 */
import fc from "fast-check";
import { expect } from "vitest";
import type { OpenPullRequest } from "../../src/core/pullRequests/host.ts";
import { takeNumber } from "../../src/core/pullRequests/projection.ts";
import { applyAnswer } from "../../src/core/pullRequests/sync.ts";
import { makeOrg, testService } from "../support/fixtures.ts";
import { pullRequest, REPOSITORY, requestStack, type StatedHost, sha, statedHost } from "../support/pullRequests.ts";
import { databaseTest } from "../support/test.ts";

const BRANCHES = ["main", "next"] as const;
const DIRECTORIES = ["a", "b"] as const;

/** What happens on the host, and what the service does meanwhile: ask and keep the answer, or store an answer kept. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant("edit" as const),
    number: fc.integer({ min: 1, max: 2 }),
    base: fc.constantFrom(...BRANCHES),
    head: fc.integer({ min: 1, max: 3 }),
    directory: fc.constantFrom(...DIRECTORIES, "elsewhere"),
    approved: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("close" as const), number: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: fc.constant("ask" as const), base: fc.constantFrom(...BRANCHES) }),
  fc.record({ kind: fc.constant("store" as const), which: fc.nat(5) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Kept = { branch: string; asked: string; open: OpenPullRequest[] };

const test = databaseTest().extend("world", ({ database }) => {
  /** What people see: the open requests by stack, and the previews that live, each of the present head. */
  async function projection(orgId: string) {
    const requests = await database.sql`
      select p.number, p.base_branch, p.head_sha, p.approved, s.branch, s.working_directory as directory
      from pull_requests p left join pull_request_stacks l on l.pull_request_id = p.id left join stacks s on s.stack_key = l.stack_key
      where p.org_id = ${orgId} order by p.number, s.branch, s.working_directory`;
    const previews = await database.sql`
      select d.origin_pr_number as number, d.origin_head_sha as head, d.status, s.branch, s.working_directory as directory
      from deployments d join stacks s using (stack_key)
      where d.org_id = ${orgId} and d.status not in ('skipped', 'cancelled')
      order by d.origin_pr_number, s.branch, s.working_directory`;
    return { requests: [...requests], previews: [...previews] };
  }

  /** An organization of its own with two stacks on each branch, and a history played on it. */
  async function play(host: StatedHost, steps: readonly Step[], last: readonly string[]) {
    const { orgId } = await makeOrg(database);
    const service = testService(database);
    const on = (branch: string) => ({ orgId, repositoryKey: REPOSITORY, branch });
    for (const branch of BRANCHES) {
      for (const directory of DIRECTORIES) {
        // On parked previews only: one that runs already is left to end when the requirements are refused.
        const pr_requirements = directory === "b" && branch === "main" ? { plan: ["approved"] } : {};
        const pr_plan_mode = branch === "next" ? "auto" : "manual";
        await requestStack(database, orgId, directory, { branch, pr_requirements, pr_plan_mode });
      }
    }
    const kept: Kept[] = [];
    const ask = async (branch: string) => {
      const asked = await takeNumber(database.db, on(branch));
      kept.push({ branch, asked, open: await host.openPullRequests(on(branch), branch) });
    };
    const store = async ({ branch, asked, open }: Kept) =>
      void (await applyAnswer(service, on(branch), asked, open, null));
    for (const s of steps) {
      if (s.kind === "edit") {
        const { number, base, head, directory, approved } = s;
        const paths = [`${directory}/main.tf`];
        host.set(pullRequest(number, { baseBranch: base, headSha: sha(number * 16 + head), paths, approved }));
      } else if (s.kind === "close") host.close(s.number);
      else if (s.kind === "ask") await ask(s.base);
      else if (kept.length > 0) await store(kept[s.which % kept.length] as Kept);
    }
    // The last deliveries arrive in this order, and every old answer once more after them.
    for (const branch of last) await ask(branch);
    for (const answer of [...kept].reverse()) await store(answer);
    for (const answer of kept) await store(answer);
    return projection(orgId);
  }

  return { play };
});

test("whatever was asked and answered before, the last state of the host is what is stored", async ({ world }) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 25 }),
      fc.shuffledSubarray([...BRANCHES, ...BRANCHES], { minLength: 4, maxLength: 4 }),
      async (steps, last) => {
        const host = statedHost();
        const storm = await world.play(host, steps, last);
        const calm = await world.play(host, [], BRANCHES);
        expect(storm).toEqual(calm);
        // And each open request has one live preview at most on a stack.
        const places = storm.previews.map(({ number, branch, directory }) => `${number} ${branch} ${directory}`);
        expect(new Set(places).size).toBe(places.length);
      },
    ),
    { numRuns: 150 },
  );
});
