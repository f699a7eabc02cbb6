/** What goes to the host: statuses, the comment, credentials for clones, the test call. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Case } from "../../support/hosts/hostWorld.ts";

const git = promisify(execFile);

export const outwardCases: Case[] = [
  {
    name: "a commit's status moves from state to state, and the same one twice is one",
    async run({ first, host, stack, publish, at }) {
      await stack("network");
      const put = (state: "pending" | "success" | "failure" | "error", description: string) =>
        publish.putStatus(at, { sha: first, state, context: "preview/network", description, targetUrl: null });
      const shown = () => host.state.statuses.filter(({ sha }) => sha === first).at(-1)?.state;
      await put("pending", "waits");
      await put("pending", "plans");
      expect(shown()).toBe("pending");
      await put("success", "done");
      expect(shown()).toBe("success");
      await put("failure", "failed");
      expect(shown()).toBe("failure");
    },
  },
  {
    name: "one comment for ever: changed in place, found by its marker, made anew only when it is gone",
    async run({ host, stack, publish, at }) {
      await stack("network");
      const comment = (commentId: string | null, text: string) =>
        publish.putComment(at, { number: 3, commentId, marker: "<!-- m -->", body: `<!-- m --> ${text}` });
      const bodies = () => [...host.state.comments.values()].map(({ body }) => body);
      const id = await comment(null, "one");
      expect(await comment(id, "two")).toBe(id);
      expect(await comment(null, "three")).toBe(id);
      expect(bodies()).toEqual(["<!-- m --> three"]);
      const changes = new Set(["PATCH", "PUT"]);
      for (const status of [403, 429, 503]) {
        host.script = ({ method }) => (changes.has(method) ? { status } : undefined);
        await expect(comment(id, "four")).rejects.toMatchObject({ name: "PublishRefused", final: false });
      }
      host.script = () => undefined;
      expect(bodies()).toEqual(["<!-- m --> three"]);
      host.state.comments.clear();
      await comment(id, "five");
      expect(bodies()).toEqual(["<!-- m --> five"]);
    },
  },
  {
    name: "clone credentials work, and go to the origin they belong to alone; a fork gets none for its owner's others",
    async run({ host, stack, clone }) {
      await stack("network");
      const credentials = await clone();
      expect(credentials).toMatchObject({ owner: { password: expect.any(String) } });
      expect((await clone(true))?.owner).toBeUndefined();
      for (const elsewhere of [
        host.repositoryUrl.replace(/:\d+\//, ":9/"),
        host.repositoryUrl.replace("127.0.0.1", "evil.example"),
        host.repositoryUrl.replace("http:", "ssh:"),
      ])
        expect(await clone(false, elsewhere)).toBeNull();
      const basic = Buffer.from(`${credentials?.username}:${credentials?.password}`).toString("base64");
      const asked = ["-c", `http.extraHeader=Authorization: Basic ${basic}`, "ls-remote", host.repositoryUrl];
      const env = { PATH: process.env.PATH, GIT_TERMINAL_PROMPT: "0", GIT_CONFIG_NOSYSTEM: "1" };
      const { stdout } = await git("git", [...asked, "refs/heads/main"], { env });
      expect(stdout.slice(0, 40)).toBe(await host.state.head("main"));
      await expect(git("git", ["ls-remote", host.repositoryUrl], { env })).rejects.toThrow();
    },
  },
  {
    name: "a commit is found by its id, also behind a branch with slashes; none where there is none",
    async run({ first, host, ask }) {
      await host.state.commit({}, { branch: "release/50%#1" });
      const head = await host.state.head("release/50%#1");
      expect((await ask((client) => client.head("release/50%#1")))?.sha).toBe(head);
      expect(await ask((client) => client.head("absent"))).toBeNull();
      expect((await ask((client) => client.commit(first)))?.sha).toBe(first);
      expect(await ask((client) => client.commit("e".repeat(40)))).toBeNull();
    },
  },
  {
    name: "a test call tells whether the repository is shown, what the webhook lacks, and that the kind is wrong",
    async run({ api, host, test, integration, integrationNow, path }) {
      const webhook = async () => (await test()).body.webhook;
      expect((await test()).body).toMatchObject({ ok: true, reason: null, webhook: { state: "absent" } });
      host.webhooks = [host.webhookTo(`https://deploy.example${path}/webhook`)];
      expect(await webhook()).toEqual({ state: "complete", missing: [], reason: null });
      host.webhooks = [{ ...host.webhooks[0], events: ["push"], merge_requests_events: false, pipeline_events: false }];
      const found = await webhook();
      expect(found).toMatchObject({
        state: "incomplete",
        missing: [expect.any(String), ...Array(found.missing.length - 1).fill(expect.any(String))],
      });
      expect((await integrationNow()).webhook_check).toMatchObject({ ...found, repository: host.repositoryKey });
      host.script = ({ path: asked }) => (asked.endsWith("/hooks") ? { status: 403 } : undefined);
      expect(await webhook()).toMatchObject({ state: "unknown", reason: expect.stringContaining("only to") });
      host.script = () => undefined;
      for (const kind of ["github", "gitea", "gitlab"].filter((each) => each !== host.kind)) {
        await api.database.sql`
          update scm_integrations set host_kind = ${kind}, updated_at = clock_timestamp() where id = ${integration.id}`;
        const { body } = await test();
        // A token that the other kind sends in another way may be refused before that.
        expect(body).toMatchObject({
          ok: false,
          reason: expect.stringMatching(/host_kind|refused|no such repository/),
        });
      }
    },
  },
];
