import { describe, expect, it } from "vitest";
import { lastTold } from "./toldRequests.ts";

const event = (kind: "pr_changed" | "pr_closed", pr_number: number | null, after_sha: string | null, attempts = 0) => ({
  kind,
  pr_number,
  after_sha,
  attempts,
});

describe("what deliveries have told last", () => {
  it.each([
    ["a head", [event("pr_changed", 1, "a")], [[1, { head: "a" }]]],
    ["the newer of two", [event("pr_changed", 1, "a"), event("pr_changed", 1, "b")], [[1, { head: "b" }]]],
    ["a close", [event("pr_changed", 1, "a"), event("pr_closed", 1, null)], [[1, "closed"]]],
    ["an opening after it", [event("pr_closed", 1, null), event("pr_changed", 1, "a")], [[1, { head: "a" }]]],
    ["nothing of a head", [event("pr_changed", 1, "a"), event("pr_changed", 1, null)], [[1, { head: "a" }]]],
    [
      "each request's own",
      [event("pr_changed", 1, "a"), event("pr_closed", 2, null)],
      [
        [1, { head: "a" }],
        [2, "closed"],
      ],
    ],
    ["nothing that was held against an answer before", [event("pr_changed", 1, "a", 1)], []],
    ["nothing of no request", [event("pr_changed", null, "a")], []],
  ])("%s", (_, events, expected) => expect([...lastTold(events)]).toEqual(expected));
});
