/** Pull requests: their previews, their conditions, and how a commit stands to a stack's. */
import { expect } from "vitest";
import type { Case } from "../../support/hosts/hostWorld.ts";

const B = "b".repeat(40);
const review = (id: number, state: string, commit_id: string) => ({ state, commit_id, user: { id, login: `p${id}` } });

export const requestCases: Case[] = [
  {
    name: "opened: one preview for each stack it touches, also by two deliveries; updated: it is superseded",
    async run({ first, host, stack, deliver, arrives, pull, previews }) {
      const [network, app] = [await stack("network"), await stack("app")];
      pull(1, ["network/main.tf"]);
      await deliver(host.request("opened", 1));
      await arrives(host.request("updated", 1));
      expect(await previews(network)).toMatchObject([{ status: "waiting", head: first, generation: 1 }]);
      expect(await previews(app)).toEqual([]);
      const next = await host.state.commit({ "network/next.tf": "1" }, { branch: "f1" });
      pull(1, ["network/main.tf"], { sha: next });
      await arrives(host.request("updated", 1));
      expect(await previews(network)).toMatchObject([
        { status: "skipped", skipped_reason: "superseded" },
        { status: "waiting", head: next, generation: 2 },
      ]);
    },
  },
  {
    name: "retargeted: it leaves the stacks of the old base and joins those of the new one",
    async run({ first, host, stack, arrives, pull, previews, requests }) {
      const [old, now] = [await stack("network"), await stack("network", { branch: "next" })];
      await host.state.commit({}, { branch: "next" });
      pull(2, ["network/main.tf"]);
      await arrives(host.request("opened", 2));
      pull(2, ["network/main.tf"], { base: "next" });
      await arrives(host.request("retargeted", 2, "next"), "next");
      expect(await previews(old)).toMatchObject([{ status: "skipped" }]);
      expect(await previews(now)).toMatchObject([{ status: "waiting", head: first }]);
      expect([await requests(old), await requests(now)]).toEqual([[], [2]]);
    },
  },
  {
    name: "a new head that no longer touches a stack: its preview is taken back, and the stack lists it no more",
    async run({ host, stack, arrives, pull, previews, requests }) {
      const [network, app] = [await stack("network"), await stack("app")];
      pull(9, ["network/main.tf", "app/main.tf"]);
      await arrives(host.request("opened", 9));
      const next = await host.state.commit({ "network/9.tf": "1" }, { branch: "f9" });
      pull(9, ["network/9.tf"], { sha: next });
      await arrives(host.request("updated", 9));
      expect(await previews(app)).toMatchObject([{ status: "skipped" }]);
      expect(await previews(network)).toMatchObject([{ status: "skipped" }, { status: "waiting", head: next }]);
      expect([await requests(network), await requests(app)]).toEqual([[9], []]);
    },
  },
  {
    name: "from a fork: parked whatever the stack says; closed: taken back, and the request is gone",
    async run({ api, host, stack, arrives, pull, previews, requests }) {
      const key = await stack("network", { pr_plan_mode: "auto" });
      pull(3, ["network/main.tf"], { fork: true });
      await arrives(host.request("opened", 3));
      expect(await previews(key)).toMatchObject([{ status: "waiting" }]);
      const [row] = await api.database.sql`select is_fork from pull_requests where number = 3 order by created_at desc`;
      expect(row).toEqual({ is_fork: true });
      host.state.pulls.delete(3);
      await arrives(host.request("closed", 3));
      expect(await previews(key)).toMatchObject([{ status: "skipped", skipped_reason: "pull_request_closed" }]);
      expect(await requests(key)).toEqual([]);
    },
  },
  {
    name: "all pages count: of requests and of files; pages that go round in circles are no whole list",
    async run({ host, pull, open }) {
      host.state.pageSize = 3;
      const files = Array.from({ length: 10 }, (_, i) => `bulk/${i}.tf`);
      for (let n = 1; n <= 7; n++) pull(n, [...files, `stack-${n}/main.tf`]);
      const found = await open();
      expect(found.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      for (const { number, files: list } of found) {
        expect(list.complete).toBe(true);
        expect(list.paths).toContain(`stack-${number}/main.tf`);
      }
      host.state.pulls.clear();
      pull(8, files);
      const link = `<${host.apiUrl}/again?page=2>; rel="next"`;
      host.script = ({ path }) =>
        /\/(files|diffs)$/.test(path)
          ? { status: 200, body: [{ filename: "a", new_path: "a" }], headers: { link } }
          : undefined;
      host.script = host.kind === "github" ? circling(host.apiUrl) : host.script;
      expect((await open())[0]?.files.complete).toBe(false);
    },
  },
  {
    name: "an approval counts when it is of the head, by somebody else, who may write",
    async run({ first, host, stack, pull, open }) {
      await stack("network", { pr_requirements: { promote: ["approved"] } });
      const { people } = host.state;
      for (const [id, permission] of [
        [2, "write"],
        [3, "read"],
        [4, "none"],
        [5, "admin"],
      ] as const)
        people.set(`p${id}`, { id, permission });
      const reason = async (reviews: ReturnType<typeof review>[], author = 1) => {
        pull(5, ["network/a"], { reviews, author: { id: author, login: `p${author}` } });
        const [request] = await open();
        return request?.approved === true ? "approved" : request?.approvedReason;
      };
      expect(await reason([])).toBe("nobody has approved it");
      expect(await reason([review(2, "APPROVED", first)])).toBe("approved");
      expect(await reason([review(5, "APPROVED", first)])).toBe("approved");
      expect(await reason([review(3, "APPROVED", first)])).toBe("1 review by a person without write access");
      expect(await reason([review(3, "APPROVED", first), review(4, "APPROVED", first)])).toContain(
        "2 reviews by people",
      );
      expect(await reason([review(2, "APPROVED", B)])).toBe("1 review of an older head");
      expect(await reason([review(2, "APPROVED", first)], 2)).toBe("a review by its own author");
      const [approval, objection] = [review(2, "APPROVED", first), review(5, "CHANGES_REQUESTED", first)];
      expect(await reason([approval, objection])).toBe("a person with write access asks for changes");
      // However many reviews there are, and on whichever page the host gives them.
      const comments = [10, 11, 12, 13].map((id) => review(id, "COMMENTED", first));
      host.state.pageSize = 3;
      expect(await reason([...comments, approval])).toBe("approved");
      expect(await reason([approval, ...comments, objection])).toBe("a person with write access asks for changes");
      expect(await reason([review(2, "APPROVED", first), review(3, "CHANGES_REQUESTED", first)])).toBe("approved");
    },
  },
  {
    name: "who may write is not known when the host does not say: no approval, with the reason",
    async run({ first, host, stack, pull, open }) {
      await stack("network", { pr_requirements: { promote: ["approved"] } });
      pull(6, ["network/a"], { reviews: [review(2, "APPROVED", first)] });
      host.script = ({ path }) => (/collaborators|members/.test(path) ? { status: 403 } : undefined);
      const [request] = await open();
      expect(request).toMatchObject({ approved: null, approvedReason: expect.stringContaining("not known") });
    },
  },
  {
    name: "checks: none has reported, open, failed, passed; our own status is none of them",
    async run({ first, host, stack, pull, open }) {
      await stack("network", { pr_requirements: { promote: ["checks_passed", "mergeable"] } });
      pull(7, ["network/a"], { mergeable: true });
      const passed = async (...states: string[]) => {
        host.state.statuses.length = 0;
        host.state.statuses.push({ sha: first, context: "preview/network", state: "pending" });
        states.forEach((state, i) => {
          host.state.statuses.push({ sha: first, context: `ci/${i}`, state });
        });
        const [request] = await open();
        return [request?.checksPassed, request?.checksReason];
      };
      expect(await passed()).toEqual([null, "no check has reported"]);
      expect(await passed("pending")).toEqual([null, "not passed yet: ci/0"]);
      expect(await passed("success", "failure")).toEqual([false, "failed: ci/1"]);
      expect(await passed("success", "success")).toEqual([true, null]);
      expect((await open())[0]?.mergeable).toBe(true);
      pull(7, ["network/a"], { mergeable: false });
      expect((await open())[0]?.mergeable).toBe(false);
    },
  },
  {
    name: "promotion: whether a head holds the stack's commit, lacks something of it, or cannot be compared",
    async run({ host, stack, standing }) {
      const { state } = host;
      await stack("network");
      const start = (await state.head("main")) as string;
      const ahead = await state.commit({ "network/p.tf": String(Math.random()) }, { branch: "feature-p" });
      const moved = await state.commit({ "app/p.tf": String(Math.random()) });
      expect(await standing(start, start)).toEqual({ relation: "contained" });
      expect(await standing(ahead, start)).toEqual({ relation: "ahead" });
      expect(await standing(start, ahead)).toEqual({ relation: "contained" });
      const lacking = { paths: ["app/p.tf"], complete: true };
      expect(await standing(ahead, moved)).toEqual({ relation: "diverged", lacking });
      expect(await standing(ahead, "c".repeat(40))).toEqual({ relation: "unknown" });
      // Brought up to date with its base, it lacks nothing, though the two have met before.
      const merged = await state.merge("feature-p", moved, "both");
      expect(await standing(merged, moved)).toEqual({ relation: "ahead" });
      const later = await state.commit({ "later/p.tf": String(Math.random()) });
      const further = await state.commit({ "network/q.tf": String(Math.random()) }, { branch: "feature-p" });
      expect(await standing(further, later)).toMatchObject({ lacking: { paths: ["later/p.tf"], complete: true } });
    },
  },
];

function circling(apiUrl: string) {
  const link = `<${apiUrl}/repos/acme/infra/pulls/8/files?page=2>; rel="next"`;
  return ({ path }: { path: string }) =>
    path.endsWith("/files") ? { status: 200, body: [{ filename: "a" }], headers: { link } } : undefined;
}
