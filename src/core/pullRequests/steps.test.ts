/** Which stacks an answer of the host concerns, and in which order their steps are taken. */
import { describe, expect, it } from "vitest";
import { preview, request, stack } from "../../../test/support/requestStates.ts";
import type { OpenPullRequest } from "./host.ts";
import type { Facts, StoredRequest } from "./projection.ts";
import { type Answer, stepsFor } from "./steps.ts";

const row = (id: string, number: number, more: Partial<StoredRequest> = {}) =>
  ({ ...request(), id, number, head_sha: "head", ...more }) as StoredRequest;
const open = (number: number, paths: string[], complete = true) =>
  ({ number, files: { paths, complete } }) as OpenPullRequest;
const answer = (more: Partial<Answer>): Answer => ({ open: [], before: [], written: [], closed: [], ...more });

/** Two stacks of the branch, and what is known of request `r-1` on them. */
function facts(
  more: { linked?: string[]; previews?: Record<string, ReturnType<typeof preview>[]>; requirements?: object } = {},
): Facts {
  const { linked = [], previews = {}, requirements = {} } = more;
  const of = (stack_key: string) => ({
    ...stack({ working_directory: stack_key, pr_requirements: requirements }),
    stack_key,
  });
  return {
    stacks: new Map(["net", "app"].map((key) => [key, of(key)])),
    links: new Map([["r-1", new Set(linked)]]),
    previews: new Map([["r-1", new Map(Object.entries(previews))]]),
  };
}
const seen = (given: Answer, known: Facts) =>
  stepsFor(given, known).map(({ stackKey, link, create, news }) => [stackKey, link, create, news]);

describe("an open request", () => {
  const written = [row("r-1", 1)];

  it("concerns the stacks it touches, in the order of their keys", () => {
    expect(seen(answer({ written, open: [open(1, ["net/a", "app/b"])] }), facts())).toEqual([
      ["app", "add", "pending", false],
      ["net", "add", "pending", false],
    ]);
    expect(seen(answer({ written, open: [open(1, ["net/a"])] }), facts())).toEqual([["net", "add", "pending", false]]);
    expect(seen(answer({ written, open: [open(1, ["docs/a"])] }), facts())).toEqual([]);
  });

  it("concerns all of the branch when its files are not all known, or not at all", () => {
    expect(seen(answer({ written, open: [open(1, [], false)] }), facts())).toHaveLength(2);
    expect(seen(answer({ written }), facts())).toHaveLength(2);
  });

  it("leaves a stack that it was linked to, or has a preview on, and that is not of its branch any more", () => {
    const known = facts({ linked: ["old"], previews: { older: [preview("waiting")] } });
    expect(seen(answer({ written, open: [open(1, ["docs/a"])] }), known)).toEqual([
      ["old", "remove", null, false],
      ["older", "none", null, false],
    ]);
  });

  it("that stands as it stood asks nothing", () => {
    const known = facts({ linked: ["net"], previews: { net: [preview("finished")] } });
    expect(seen(answer({ written, before: written, open: [open(1, ["net/a"])] }), known)).toEqual([]);
  });
});

describe("news of a request's conditions", () => {
  const before = [row("r-1", 1, { approved: false })];
  const approved = answer({ before, written: [row("r-1", 1, { approved: true })], open: [open(1, ["net/a"])] });
  const known = (requirements: object) =>
    facts({ linked: ["net"], previews: { net: [preview("finished")] }, requirements });

  it("are told to a stack that requires any", () => {
    expect(seen(approved, known({ promote: ["mergeable"] }))).toEqual([["net", "keep", null, true]]);
    expect(seen(approved, known({}))).toEqual([]);
  });

  it("are none where nothing was known before, or nothing differs", () => {
    expect(seen({ ...approved, before: [] }, known({ promote: ["approved"] }))).toEqual([]);
    expect(seen({ ...approved, before: approved.written }, known({ promote: ["approved"] }))).toEqual([]);
  });
});

it("a request that is closed leaves every stack it has to do with, and no other", () => {
  const known = facts({ linked: ["net"], previews: { net: [preview("planning")], old: [preview("waiting")] } });
  const [net, old, ...more] = stepsFor(answer({ closed: [row("r-1", 1)] }), known);
  expect([net?.stackKey, net?.link, net?.withdraw]).toEqual([
    "net",
    "remove",
    [{ id: "p-1", reason: "pull_request_closed" }],
  ]);
  expect([old?.stackKey, old?.link, old?.create]).toEqual(["old", "none", null]);
  expect(more).toEqual([]);
});
