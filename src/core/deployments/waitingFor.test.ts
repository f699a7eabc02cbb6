import { describe, expect, it } from "vitest";
import { DEPLOYMENT_MODES, DEPLOYMENT_STATUSES, type DeploymentStatus, isTerminal } from "./lifecycle.ts";
import type { DeploymentResource, RunResource } from "./resourceSchema.ts";
import { awaitedIn } from "./view.ts";
import { waitingFor } from "./waitingFor.ts";

type Deployment = Parameters<typeof waitingFor>[0];
type Facts = Parameters<typeof waitingFor>[1];

const FREE: Facts = {
  holder_status: null,
  held: false,
  hold_reason: null,
  served: true,
  wall_missing: false,
  throttled_until: null,
};
const withRun = (run: Partial<RunResource>): Partial<Deployment> => ({
  stages: [{ run }] as DeploymentResource["stages"],
});

function sentence(status: DeploymentStatus, more: Partial<Deployment> = {}, facts: Partial<Facts> = {}) {
  const source = { branch: "main", provenance: "branch", origin_type: "manual" } as const;
  const place = { blocked_by: null, queue_position: null, stages: [], gates: [] };
  const deployment: Deployment = { mode: "plan", ...source, ...place, ...more, status };
  return waitingFor(deployment, { ...FREE, ...facts });
}

const A_RUNNER = "A runner of a matching group has to take the run.";
const SENTENCES: Record<DeploymentStatus, string | null> = {
  queued: "It is next in the stack's queue.",
  pending: A_RUNNER,
  planning: "The runner is planning.",
  waiting: "A person has to look at the plan and confirm, replan or skip it.",
  applying: "The runner is applying.",
  requested_cancellation: "The runner has been asked to stop and has not answered yet.",
  cancelling: "The runner is stopping the engine.",
  finished: null,
  failed: null,
  cancelled: null,
  skipped: null,
};

describe("a deployment that is", () => {
  it.each(DEPLOYMENT_STATUSES)("%s", (status) => expect(sentence(status)).toBe(SENTENCES[status]));

  it("not over says what it waits for, whatever its mode; one that is over waits for nothing", () => {
    for (const mode of DEPLOYMENT_MODES)
      for (const status of DEPLOYMENT_STATUSES) expect(sentence(status, { mode }) === null).toBe(isTerminal(status));
  });

  it.each<[Deployment["provenance"], string]>([
    ["foreign", " Its commit is not on branch main."],
    ["fork", " Its commit is not on branch main."],
    ["pull_request", " Its commit is not on branch main."],
    ["unknown", " Its commit is not known to be on branch main."],
  ])("waiting with a commit that is %s says so, unless somebody promoted it", (provenance, said) => {
    expect(sentence("waiting", { provenance })).toBe(`${SENTENCES.waiting}${said}`);
    expect(sentence("waiting", { provenance, origin_type: "promoted_pull_request" })).toBe(SENTENCES.waiting);
  });

  it("parked waits for another act than a plan", () =>
    expect(sentence("waiting", { mode: "plan_unlocked" })).toBe("A person has to confirm the preview."));
});

describe("in the queue", () => {
  const behind = { blocked_by: "d-1", queue_position: 2 };

  it.each<[string, Partial<Deployment>, Partial<Facts>]>([
    [
      "Deployment d-1 holds the stack and is waiting; this one is number 2 in the queue.",
      behind,
      { holder_status: "waiting" },
    ],
    // Who is in front is gone first; only then the hold is what keeps it.
    [
      "Deployment d-1 holds the stack and is applying; this one is number 2 in the queue.",
      behind,
      { holder_status: "applying", held: true },
    ],
    ["The stack is on hold.", {}, { held: true }],
    ["The stack is on hold: audit.", {}, { held: true, hold_reason: "audit" }],
  ])("%s", (text, deployment, facts) => expect(sentence("queued", deployment, facts)).toBe(text));
});

describe.each(["pending", "applying"] as const)("%s, for a runner", (status) => {
  it.each<[string, Partial<RunResource>, Partial<Facts>]>([
    [
      "A runner has claimed the run and is starting.",
      { status: "assigned" },
      { served: false, throttled_until: "2026-11-28 12:00:00+00" },
    ],
    [A_RUNNER, { status: "pending" }, {}],
    [
      "The organization has used up its runs per hour until 2026-11-28T12:00:00Z.",
      { status: "pending" },
      { throttled_until: "2026-11-28 12:00:00+00" },
    ],
    [
      "Only runners without a wall would take it, and a fork's preview never runs without one: start a runner with RUNNER_ISOLATION other than none, or let the stack's fork_runner_labels name a group that has one.",
      { status: "pending" },
      { wall_missing: true, throttled_until: "2026-11-28 12:00:00+00" },
    ],
    [
      "No runner group has the labels region=eu, tier=prod.",
      { status: "pending", runner_selector: { region: "eu", tier: "prod" } },
      { served: false, throttled_until: "2026-11-28 12:00:00+00" },
    ],
    [
      "The organization has no default runner group, and the stack names none.",
      { status: "pending", runner_selector: {} },
      { served: false },
    ],
  ])("%s", (text, run, facts) => expect(sentence(status, withRun(run), facts)).toBe(text));
});

it("its workflow tells what it waits for in one word, and agrees when it is over", () => {
  const words = DEPLOYMENT_STATUSES.map((status) => [status, awaitedIn(status)]);
  expect(Object.fromEntries(words)).toEqual({
    queued: "lane",
    pending: "run",
    planning: "run",
    waiting: "person",
    applying: "run",
    requested_cancellation: "cancellation",
    cancelling: "cancellation",
    finished: null,
    failed: null,
    cancelled: null,
    skipped: null,
  });
});
