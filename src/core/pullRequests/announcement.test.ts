import { expect, it } from "vitest";
import { announce, contextOf, digestOf, type PreviewFacts } from "./announcement.ts";

const PREVIEW: PreviewFacts = {
  stackSlug: "network-prod",
  stackKey: "0190aaaa-0000-7000-8000-000000000001",
  number: 7,
  deploymentId: "0190aaaa-0000-7000-8000-000000000002",
  sha: "ab".repeat(20),
  status: "finished",
  skippedReason: null,
  error: null,
  summary: {
    has_changes: true,
    counts: { add: 2, change: 0, destroy: 1, replace: 0, import: 0, forget: 0, move: 0 },
    gaps: [],
  },
  unmet: [],
  link: "https://deploy.example/x",
};

it("tells a finished plan by its counts, with a link", () => {
  const told = announce(PREVIEW);
  expect(told?.status).toEqual({
    sha: "ab".repeat(20),
    state: "success",
    context: "preview/network-prod",
    description: "Plan: 2 to add, 1 to destroy",
    targetUrl: "https://deploy.example/x",
  });
  expect(told?.comment).toContain(told?.marker);
  expect(told?.comment).toContain("[Open the deployment](https://deploy.example/x)");
});

it("never takes a plan that could not be counted for one without changes", () => {
  const words = (summary: PreviewFacts["summary"]) => announce({ ...PREVIEW, summary })?.status.description;
  expect(words({ has_changes: false, counts: null, gaps: [] })).toBe("No changes");
  expect(words({ has_changes: true, counts: null, gaps: [] })).toBe("Planned; the changes could not be counted");
  expect(words(null)).toBe("Planned; the changes could not be counted");
});

it("says nothing of what was taken back or closed", () => {
  for (const skippedReason of ["retracted", "pull_request_closed"]) {
    expect(announce({ ...PREVIEW, status: "skipped", skippedReason })).toBeNull();
  }
  expect(announce({ ...PREVIEW, status: "skipped", skippedReason: "confirmation_timeout" })?.status.state).toBe(
    "error",
  );
});

it("keeps a runner's words from becoming markup, a link or a mention, and within the host's lengths", () => {
  const error = `@everyone <img src=x> [a](b) \`out\` www.evil.example\n# big ${"long ".repeat(400)}`;
  const told = announce({ ...PREVIEW, status: "failed", error, summary: { ...PREVIEW.summary!, gaps: ["@team `x`"] } });
  const [, , , headline, , words, , gap] = told?.comment.split("\n") ?? [];
  expect(headline).toBe(`**The plan failed** at ${"ab".repeat(6)}`);
  // One span of code and nothing outside it: hosts look for mentions and links everywhere else.
  expect(words).toMatch(/^`@everyone <img src=x> \[a\]\(b\) 'out' www\.evil\.example # big [^`]*…`$/);
  expect(gap).toBe("- `@team 'x'`");
  expect(told?.status.description.length).toBeLessThanOrEqual(140);
  expect(announce({ ...PREVIEW, status: "failed", error: " " })?.comment).toContain("**The plan failed** at");
});

it("shows no words that are not seen, or turn others round, in the status either", () => {
  const error = "no\u202e such\u200b\n\u0007region\u2066";
  const told = announce({ ...PREVIEW, status: "failed", error });
  expect(told?.status.description).toBe("no such region");
  expect(told?.comment).toContain("`no such region`");
});

it("stays within what a host takes, however much there is to say", () => {
  const gaps = Array.from({ length: 500 }, (_, i) => `${i} ${"x".repeat(498)}`);
  const comment = announce({ ...PREVIEW, summary: { ...PREVIEW.summary!, gaps } })?.comment ?? "";
  expect(comment.length).toBeLessThan(65_536);
  expect(comment).toContain("- and 480 more");
});

it("marks its comment by what nobody can tell from the marks of other pull requests", () => {
  const marker = (changes: object) => announce({ ...PREVIEW, ...changes })?.marker;
  expect(marker({})).toBe(marker({ sha: "cd".repeat(20), status: "failed" }));
  expect(marker({ number: 8 })).not.toBe(marker({}));
  expect(announce(PREVIEW)?.comment).not.toContain(PREVIEW.stackKey);
});

it("caps the context's length and keeps long names apart", () => {
  const long = "x".repeat(99);
  expect(contextOf(`${long}a`)).toHaveLength(100);
  expect(contextOf(`${long}a`)).not.toBe(contextOf(`${long}b`));
  expect(contextOf("a")).toBe("preview/a");
});

it("says why a condition does not hold, in words that mention nobody", () => {
  const reason = "failed: `@acme/all`\nfixes #1";
  const comment = announce({ ...PREVIEW, unmet: [{ condition: "checks_passed", reason }] })?.comment;
  expect(comment).toContain("Promotion waits for its checks to pass.\n\n- `failed: '@acme/all' fixes #1`\n");
});

it("tells status and comment apart, so that only what differs is published again", () => {
  const a = announce(PREVIEW);
  const b = announce({ ...PREVIEW, unmet: [{ condition: "approved", reason: "1 review of an older head" }] });
  expect(a && b && [digestOf(a).status === digestOf(b).status, digestOf(a).comment === digestOf(b).comment]).toEqual([
    true,
    false,
  ]);
});
