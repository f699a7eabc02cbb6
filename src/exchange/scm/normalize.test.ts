import examples from "@octokit/webhooks-examples" with { type: "json" };
import { describe, expect, it } from "vitest";
import { normalize } from "./normalize.ts";

type Example = Record<string, unknown> & { action?: string };
const published = (examples as unknown as { default?: unknown }).default ?? examples;
const all = (published as { name: string; examples: Example[] }[]).flatMap(({ name, examples: payloads }) =>
  payloads.map((payload, index) => ({ name, payload, title: `${name}.${payload.action ?? ""} #${index}` })),
);

const ID = "72d3162e-cc78-11e3-81ab-4c9367dc0958";
const kinds = (type: string, payload: unknown) => normalize(type, ID, payload).events.map(({ kind }) => kind);
// biome-ignore lint/suspicious/noExplicitAny: payloads are changed at will
const example = (name: string, wanted: (payload: any) => boolean = () => true): any =>
  structuredClone(all.find((one) => one.name === name && wanted(one.payload))?.payload);

const A = "a".repeat(40);
const B = "b".repeat(40);
const ZERO = "0".repeat(40);
const push = (changes: object) => ({
  ...example("push"),
  ref: "refs/heads/main",
  before: A,
  after: B,
  deleted: false,
  ...changes,
});

describe("the published payloads", () => {
  it("are there in their hundreds", () => expect(all.length).toBeGreaterThan(250));

  /** The table of docs/rules/source-control.md#what-a-delivery-means, told again as what an example of it must give. */
  function expected(name: string, payload: Example): string[] {
    const action = payload.action ?? "";
    if (name === "push") {
      return String(payload.ref).startsWith("refs/heads/") && payload.deleted !== true ? ["push_branch_changed"] : [];
    }
    if (name === "pull_request") {
      if (action === "closed") return ["pr_closed"];
      return ["opened", "reopened", "synchronize", "edited"].includes(action) ? ["pr_changed"] : [];
    }
    if (name === "pull_request_review") return ["submitted", "dismissed"].includes(action) ? ["pr_changed"] : [];
    if (name === "check_suite" && ["requested", "rerequested", "completed"].includes(action)) {
      const { pull_requests: listed } = payload.check_suite as { pull_requests: unknown[] };
      return listed.map(() => "pr_changed");
    }
    return [];
  }

  it.each(all)("$title", ({ name, payload }) => {
    const { events } = normalize(name, ID, payload);
    expect(events.map(({ kind }) => kind)).toEqual(expected(name, payload));
    for (const event of events) {
      expect(event.branch).not.toBe("");
      expect(event.externalId.startsWith(ID)).toBe(true);
      if (event.kind === "push_branch_changed") expect(event.after).toMatch(/^[0-9a-f]{40}$/);
      else expect(event.prNumber).toBeGreaterThan(0);
    }
  });

  it("name their repository under every address", () => {
    const { repositoryUrls } = normalize("push", ID, example("push"));
    expect(repositoryUrls).toEqual([
      "https://github.com/Codertocat/Hello-World.git",
      "https://github.com/Codertocat/Hello-World",
      "git@github.com:Codertocat/Hello-World.git",
      "git://github.com/Codertocat/Hello-World.git",
    ]);
  });
});

describe("push", () => {
  it("is about a branch that is still there", () => {
    const [event] = normalize("push", ID, push({ ref: "refs/heads/feature/50%#1" })).events;
    expect(event).toMatchObject({ externalId: ID, branch: "feature/50%#1", before: A, after: B, prNumber: null });
    expect(event?.sender).toBe("Codertocat");
  });

  it.each([undefined, 7, "", "a\0", "x".repeat(256), "\ud800"])(
    "names nobody where the host calls them %j",
    (login) => {
      expect(normalize("push", ID, push({ sender: { login } })).events).toMatchObject([{ sender: null }]);
    },
  );

  it("of a new branch has no commit before it", () => {
    expect(normalize("push", ID, push({ before: ZERO, created: true })).events[0]).toMatchObject({
      before: null,
      after: B,
    });
  });

  it("that was forced, with no commits in it, is one all the same", () => {
    expect(kinds("push", push({ forced: true, commits: [] }))).toEqual(["push_branch_changed"]);
  });

  it.each([
    ["a deleted branch", { deleted: true, after: ZERO }],
    ["a tag", { ref: "refs/tags/v1" }],
    ["a tag named like the branch", { ref: "refs/tags/main" }],
    ["a tag named like a branch's ref", { ref: "refs/tags/refs/heads/main" }],
    ["a merge queue's branch", { ref: "refs/heads/gh-readonly-queue/main/pr-1-abc" }],
    ["notes", { ref: "refs/notes/commits" }],
    ["a branch without a name", { ref: "refs/heads/" }],
    ["a branch no host would have", { ref: `refs/heads/${"x".repeat(300)}` }],
    ["text where the commit should be", { after: "--upload-pack=x" }],
  ])("%s means nothing", (_, changes) => expect(kinds("push", push(changes))).toEqual([]));
});

describe("check_suite", () => {
  const request = (number: number, repo: number) => ({ number, base: { ref: "main", repo: { id: repo } } });
  const suite = (action: string, requests: unknown[]) => ({
    action,
    repository: { id: 7, clone_url: "https://h.example/a/b.git" },
    check_suite: { pull_requests: requests },
  });

  it("gives one event for each request of the same repository, with an id of its own", () => {
    const { events } = normalize(
      "check_suite",
      ID,
      suite("completed", [request(1, 7), request(2, 8), request(3, 7), request(1, 7)]),
    );
    expect(events.map(({ externalId, prNumber }) => [externalId, prNumber])).toEqual([
      [`${ID}-pr1`, 1],
      [`${ID}-pr3`, 3],
    ]);
  });

  it("that lists requests without end is read to a bound", () => {
    const listed = Array.from({ length: 2_000 }, (_, i) => ({
      number: i + 1,
      base: { ref: "main", repo: { id: 7 } },
    }));
    const payload = { action: "completed", repository: { id: 7 }, check_suite: { pull_requests: listed } };
    expect(kinds("check_suite", payload)).toHaveLength(500);
  });

  it("of a fork, or with another action, means nothing", () => {
    expect(kinds("check_suite", suite("completed", []))).toEqual([]);
    expect(kinds("check_suite", suite("completed", [request(2, 8)]))).toEqual([]);
    expect(kinds("check_suite", suite("deleted", [request(1, 7)]))).toEqual([]);
  });
});

describe("what is no payload of ours", () => {
  it.each([null, 1, "x", [], {}, { ref: 5 }, { repository: [] }, { pull_request: { number: -1 } }])(
    "%j means nothing",
    (payload) => {
      for (const type of [
        "push",
        "pull_request",
        "pull_request_review",
        "check_suite",
        "merge_group",
        "ping",
        "",
        "constructor",
      ]) {
        expect(normalize(type, ID, payload).events).toEqual([]);
        expect(normalize(type, ID, { ...(payload as object), action: "opened" }).events).toEqual([]);
      }
    },
  );
});
