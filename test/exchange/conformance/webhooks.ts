/** What a host delivers: proof, ids, meaning. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Case } from "../../support/hosts/hostWorld.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);

export const webhookCases: Case[] = [
  {
    name: "a push is taken once, however often and however many at once it is sent",
    async run({ host, stack, deliver, events }) {
      await stack("network");
      const delivered = host.push("main", A, B);
      const answers = await Promise.all([1, 2, 3, 4].map(() => deliver(delivered)));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
      expect(answers.flatMap(({ body }) => body.event_ids)).toHaveLength(1);
      const id = delivered.headers[host.idHeader];
      expect(await events()).toMatchObject([{ external_event_id: id, kind: "push_branch_changed", branch: "main" }]);
      expect((await deliver(host.push("main", A, B))).body.event_ids).toHaveLength(1);
    },
  },
  {
    name: "401 for another secret, no proof, a changed body, the proof of another kind of host",
    async run({ host, stack, deliver, events }) {
      await stack("network");
      const delivered = host.push("main", A, B);
      expect((await deliver(host.provedWith(delivered, "another secret, long enough"))).status).toBe(401);
      const proof = /^(x-hub-signature-256|x-gitea-signature|x-gitlab-token|webhook-signature)$/;
      const bare = Object.fromEntries(Object.entries(delivered.headers).filter(([name]) => !proof.test(name)));
      expect((await deliver({ ...delivered, headers: bare })).status).toBe(401);
      for (const name of ["x-hub-signature-256", "x-gitea-signature", "x-gitlab-token"]) {
        if (delivered.headers[name] !== undefined) continue;
        const foreign = { ...bare, [name]: Object.entries(delivered.headers).find(([each]) => proof.test(each))?.[1] };
        expect((await deliver({ ...delivered, headers: foreign as Record<string, string> })).status).toBe(401);
      }
      // A secret that is sent as it is proves nothing of the body.
      const changed = await deliver({ ...delivered, body: `${delivered.body} ` });
      expect(changed.status).toBe(delivered.headers["x-gitlab-token"] === undefined ? 401 : 202);
      expect(await events()).toHaveLength(changed.status === 202 ? 1 : 0);
    },
  },
  {
    name: "tags, deleted branches, unknown events and branches of no stack are 202 and leave nothing",
    async run({ api, host, stack, deliver, events }) {
      await stack("network");
      const logged = api.logged.length;
      const nothing = [
        host.tag("main", B),
        host.branchDeleted("main", A),
        host.unknown(),
        host.push("feature", A, B),
        host.checked(B, "preview/network"),
      ];
      for (const delivered of nothing) expect((await deliver(delivered)).body).toEqual({ event_ids: [] });
      expect(await events()).toEqual([]);
      expect(api.logged.slice(logged).filter(({ level }) => Number(level) >= 40)).toEqual([]);
    },
  },
  {
    name: "one about another repository changes nothing, one without an id is 400, one elsewhere 404",
    async run({ api, host, stack, deliver, events, integration }) {
      await stack("network");
      const foreign = host.about(host.push("main", A, B), "https://other.example/x/y.git");
      expect((await deliver(foreign)).body.event_ids).toEqual([]);
      const { body, headers } = host.push("main", A, B);
      const ids = new Set([host.idHeader, "x-gitlab-event-uuid", "webhook-id"]);
      const nameless = Object.fromEntries(Object.entries(headers).filter(([name]) => !ids.has(name)));
      const answer = await deliver({ body, headers: nameless });
      // Of a signature the id is a part.
      expect(answer.status).toBe("webhook-signature" in headers ? 401 : 400);
      const elsewhere = `/api/v1/orgs/${randomUUID()}/scm-integrations/${integration.id}/webhook`;
      expect((await api.call("POST", elsewhere, { body, headers })).status).toBe(404);
      expect(await events()).toEqual([]);
    },
  },
  {
    name: "every change of a request and every review arrives as one event of its base branch",
    async run({ host, stack, deliver, events, pull }) {
      await stack("network");
      pull(7, ["network/main.tf"], { sha: B });
      const changes = ["opened", "updated", "retargeted", "reopened", "reviewed", "closed", "merged"] as const;
      for (const change of changes) expect((await deliver(host.request(change, 7))).body.event_ids).toHaveLength(1);
      const kinds = (await events()).map(({ kind, branch, pr_number }) => `${kind} ${branch} ${pr_number}`);
      const changed = Array(5).fill("pr_changed main 7");
      expect(kinds).toEqual([...changed, "pr_closed main 7", "pr_closed main 7"]);
    },
  },
  {
    name: "checks of a commit that have ended reach the requests that have it as their head",
    async run({ first, host, stack, deliver, events, pull, sync }) {
      await stack("network");
      pull(4, ["network/main.tf"]);
      await sync();
      expect((await deliver(host.checked(first))).body.event_ids).toHaveLength(1);
      expect(await events()).toMatchObject([{ kind: "pr_changed", pr_number: 4, branch: "main" }]);
      expect((await deliver(host.checked(B))).body.event_ids).toEqual([]);
    },
  },
];
