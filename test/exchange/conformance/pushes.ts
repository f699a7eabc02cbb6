/** What pushes do: which stacks they bring to the head, and what becomes of them when the host fails. */
import { expect } from "vitest";
import type { Case } from "../../support/hosts/hostWorld.ts";

export const pushCases: Case[] = [
  {
    name: "a push brings the stacks it touches to the head, with its message and author, and no others",
    async run({ api, host, stack, arrives, commits }) {
      const [network, app] = [await stack("network"), await stack("app")];
      const before = await host.state.head("main");
      const sha = await host.state.commit({ "network/sub/a.tf": String(Math.random()) }, { message: "why" });
      await arrives(host.push("main", before, sha));
      expect([await commits(network), await commits(app)]).toEqual([[sha], []]);
      const [row] = await api.database.sql`
        select commit_message, commit_author, origin_type, created_by from deployments where stack_key = ${network}`;
      expect(row).toEqual({
        commit_message: "why",
        commit_author: "Ann Author",
        origin_type: "push",
        created_by: null,
      });
    },
  },
  {
    name: "a moved file counts at both places, a file that a merge took back counts too",
    async run({ host, stack, arrives, commits }) {
      const { state } = host;
      const start = await state.commit({ "from/a.tf": "one\ntwo\nthree\n", "back/b.tf": "old" });
      const [from, to, back, app] = await Promise.all([stack("from"), stack("to"), stack("back"), stack("app")]);
      const moved = await state.commit({ "from/a.tf": null, "to/a.tf": "one\ntwo\nthree\n" });
      await arrives(host.push("main", start, moved));
      expect([await commits(from), await commits(to)]).toEqual([[moved], [moved]]);
      expect([await commits(back), await commits(app)]).toEqual([[], []]);
      const newer = await state.commit({ "back/b.tf": "new" });
      await arrives(host.push("main", moved, newer));
      // A merge that keeps the other side's tree: none of its own commits touches the file.
      const merged = await state.merge("main", moved);
      await arrives(host.push("main", newer, merged));
      expect(await commits(back)).toEqual([newer, merged]);
      expect(await commits(app)).toEqual([]);
    },
  },
  {
    name: "a forced push compares both ways: what was taken back counts",
    async run({ host, stack, arrives, commits }) {
      const { state } = host;
      const start = (await state.head("main")) as string;
      const [network, app, other] = await Promise.all([stack("network"), stack("app"), stack("other")]);
      const taken = await state.commit({ "network/forced.tf": "1" });
      await arrives(host.push("main", start, taken));
      const forced = await state.commit({ "app/forced.tf": "1" }, { force: true, from: start });
      await arrives(host.push("main", taken, forced));
      expect([await commits(network), await commits(app), await commits(other)]).toEqual([
        [taken, forced],
        [forced],
        [],
      ]);
    },
  },
  {
    name: "a commit that the host does not know any more syncs every stack of the branch",
    async run({ host, stack, arrives, commits }) {
      const [network, app] = [await stack("network"), await stack("app")];
      const sha = await host.state.commit({ "elsewhere/a.tf": String(Math.random()) });
      await arrives(host.push("main", "d".repeat(40), sha));
      expect([await commits(network), await commits(app)]).toEqual([[sha], [sha]]);
    },
  },
  {
    name: "a comparison that the host cuts, or will not give, syncs every stack of the branch",
    async run({ host, stack, arrives, commits }) {
      const { state } = host;
      const [network, app] = [await stack("network"), await stack("app")];
      const start = await state.head("main");
      const cut = await state.commit({ "elsewhere/b.tf": String(Math.random()) });
      host.script = host.cutComparison;
      await arrives(host.push("main", start, cut));
      const refused = await state.commit({ "elsewhere/c.tf": String(Math.random()) });
      const answered = host.script;
      host.script = (asked) => (answered(asked) === undefined ? undefined : { status: 413 });
      await arrives(host.push("main", cut, refused));
      expect([await commits(network), await commits(app)]).toEqual([
        [cut, refused],
        [cut, refused],
      ]);
    },
  },
  {
    name: "a branch that was deleted meanwhile deploys nothing and fails once, for a later look",
    async run({ first, host, stack, arrives, again, process, commits, events }) {
      const key = await stack("network", { branch: "gone/deep" });
      await arrives(host.push("gone/deep", null, first), "gone/deep");
      expect(await events()).toMatchObject([{ status: "failed", last_error: expect.stringContaining("older") }]);
      await again();
      await process("gone/deep");
      expect(await events()).toMatchObject([{ status: "processed" }]);
      expect(await commits(key)).toEqual([]);
    },
  },
  {
    name: "a delivery that is ahead of the host's own answer is looked at again, and nothing is lost",
    async run({ host, stack, arrives, again, process, commits }) {
      const { state } = host;
      const key = await stack("network");
      const before = (await state.head("main")) as string;
      const sha = await state.commit({ "network/late.tf": String(Math.random()) });
      await state.reset("main", before);
      await arrives(host.push("main", before, sha));
      expect(await commits(key)).toEqual([]);
      await state.reset("main", sha);
      await again();
      await process();
      expect(await commits(key)).toEqual([sha]);
    },
  },
  {
    name: "a host that is away, or hides the repository, is tried again and given up with one scm_sync_failed",
    async run({ api, host, stack, arrives, again, process, events, orgId }) {
      await stack("network");
      const head = (await host.state.head("main")) as string;
      host.script = () => ({ status: 503 });
      await arrives(host.push("main", null, head));
      expect(await events()).toMatchObject([{ status: "failed", last_error: expect.stringContaining("HTTP 503") }]);
      host.script = () => ({ status: 404, body: { message: "404 Not Found" } });
      for (let round = 0; round < 2; round++) {
        await again();
        await process();
      }
      expect(await events()).toMatchObject([{ status: "dead", last_error: expect.stringContaining("hides") }]);
      const failed = await api.database
        .sql`select 1 from domain_events where org_id = ${orgId} and name = 'scm_sync_failed'`;
      expect(failed).toHaveLength(1);
    },
  },
  {
    name: "a limit is waited for as long as the host asks, and what it says is not repeated",
    async run({ host, stack, arrives, events, integrationNow }) {
      await stack("network");
      const head = (await host.state.head("main")) as string;
      host.script = ({ authorization }) => ({
        status: 429,
        headers: { "retry-after": "30" },
        body: { message: `Too many requests of ${authorization}` },
      });
      await arrives(host.push("main", null, head));
      const [event] = await events();
      expect(event).toMatchObject({ status: "failed", late: true, last_error: expect.stringContaining("left alone") });
      host.script = ({ authorization }) => ({ status: 401, body: { message: `Bad ${authorization}` } });
      await arrives(host.push("main", null, head));
      const texts = JSON.stringify([await events(), await integrationNow()]);
      expect(texts).not.toContain(host.token);
    },
  },
];
