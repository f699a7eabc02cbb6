import { describe, expect, it } from "vitest";
import { normalizeGitea } from "./giteaDelivery.ts";
import { normalizeGitlab } from "./gitlabDelivery.ts";

const A = "a".repeat(40);
const project = { id: 5, git_http_url: "https://git.example/a/b/c.git", web_url: "https://git.example/a/b/c" };

describe("GitLab", () => {
  const pipeline = (status: string, merge_request: object | null, sha = A) =>
    normalizeGitlab("d", { object_kind: "pipeline", object_attributes: { status, sha }, merge_request, project });
  const request = { iid: 3, target_branch: "main", target_project_id: 5 };

  it("names its project by every address, in a group within a group", () => {
    const { repositoryUrls } = normalizeGitlab("d", { object_kind: "push", project });
    expect(repositoryUrls).toEqual([project.git_http_url, project.web_url]);
  });

  it("a pipeline of a merge request is about that; one of a branch about its commit; one under way is nothing", () => {
    expect(pipeline("success", request)).toMatchObject({
      events: [{ externalId: "d-pr3", kind: "pr_changed", branch: "main", prNumber: 3, after: null }],
    });
    expect(pipeline("failed", null)).toMatchObject({ events: [], checked: { externalId: "d", sha: A } });
    expect(pipeline("running", request).events).toEqual([]);
    expect(pipeline("running", null).checked).toBeUndefined();
    expect(pipeline("success", { ...request, target_project_id: 6 }).events).toEqual([]);
  });

  it.each([
    ["open", "pr_changed"],
    ["reopen", "pr_changed"],
    ["update", "pr_changed"],
    ["approved", "pr_changed"],
    ["unapproved", "pr_changed"],
    ["close", "pr_closed"],
    ["merge", "pr_closed"],
  ])("%s is %s", (action, kind) => {
    const object_attributes = { iid: 3, action, target_branch: "main", last_commit: { id: A } };
    const { events } = normalizeGitlab("d", { object_kind: "merge_request", object_attributes, project });
    expect(events).toMatchObject([{ kind, branch: "main", prNumber: 3, after: kind === "pr_closed" ? null : A }]);
  });

  it("a hook of the whole installation says it by another name; a comment is nothing", () => {
    const push = { event_name: "push", ref: "refs/heads/a/b", before: "0".repeat(40), after: A, project };
    expect(normalizeGitlab("d", push).events).toMatchObject([{ branch: "a/b", before: null, after: A }]);
    expect(normalizeGitlab("d", { object_kind: "note", project }).events).toEqual([]);
  });
});

describe("Gitea", () => {
  const repository = { clone_url: "https://git.example/a/b.git" };
  const about = (type: string, action: string, more: object = {}) =>
    normalizeGitea(type, "d", {
      repository,
      action,
      number: 3,
      pull_request: { base: { ref: "main" }, head: { sha: A } },
      ...more,
    }).events.map(({ kind }) => kind);

  it("changes of a request and decisive reviews count, labels and comments beside the lines do not", () => {
    for (const action of ["opened", "reopened", "synchronized", "edited"])
      expect(about("pull_request", action)).toEqual(["pr_changed"]);
    expect(about("pull_request", "closed")).toEqual(["pr_closed"]);
    expect(about("pull_request", "label_updated")).toEqual([]);
    for (const type of ["pull_request_approved", "pull_request_rejected"])
      expect(about(type, "reviewed", { review: { type: "x" } })).toEqual(["pr_changed"]);
    expect(about("pull_request_comment", "reviewed", { review: { type: "pull_request_review_comment" } })).toEqual([]);
    expect(about("issue_comment", "created")).toEqual([]);
  });

  it("a status is about its commit, unless it is one of ours", () => {
    const status = (context: string) => normalizeGitea("status", "d", { repository, sha: A, context }).checked;
    expect(status("ci/build")).toEqual({ externalId: "d", sha: A });
    expect(status("preview/network")).toBeUndefined();
  });
});
