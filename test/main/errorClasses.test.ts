/**
 * Every error class of the service is a problem, which any route answers as it says, or stands in this one list with
 * the place that ends its way. A class that nobody maps would be told as a bug (docs/rules/api.md#problems).
 */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Where each class that is no problem is caught, or how it ends. */
type End = { caughtIn: string[] } | { endsProgram: string } | { onlyLogged: string } | { bug: string };
const ENDS: Record<string, End> = {
  SupersededError: { caughtIn: ["src/graph/dependencies/graphTasks.ts"] },
  LeaseLostError: { caughtIn: ["src/graph/tasks/runSlice.ts"] },
  ThreadError: {
    caughtIn: [
      "src/graph/dependencies/newestAnalysis.ts",
      "src/graph/explore/indexStack.ts",
      "src/graph/cascade/appliedChanges.ts",
    ],
  },
  MalformedError: { caughtIn: ["src/graph/analysis/analysisFile.ts"] },
  DiscoveryError: { caughtIn: ["src/people/sso/errors.ts", "src/people/sso/sourceChecks.ts"] },
  CodehostAnswerError: { caughtIn: ["src/people/sso/codehostApi.ts"] },
  TemporalUnavailable: { caughtIn: ["src/orchestration/temporal/decide.ts"] },
  UnreadableLineError: { caughtIn: ["src/core/plans/changesPage.ts"] },
  NoLineError: { caughtIn: ["src/core/plans/changesPage.ts"] },
  LogGoneError: { caughtIn: ["src/core/logs/readLogs.ts"] },
  PublishRefused: { caughtIn: ["src/core/pullRequests/publish.ts"] },
  ContextRefusedError: { caughtIn: ["src/core/runnerProtocol/routes.ts"] },
  NoBucketError: { caughtIn: ["src/core/dispatch/failOpen.ts"] },
  PollerGoneError: { caughtIn: ["src/core/runnerProtocol/coordinatorRoutes.ts"] },
  NoConnectionError: { caughtIn: ["src/platform/db/replica.ts"] },
  RefusedClaim: { caughtIn: ["src/core/dispatch/claim.ts"] },
  ConfigError: { endsProgram: "settings that a program cannot start with" },
  UsageError: { endsProgram: "a command that was called wrongly" },
  OtherHistoryError: { onlyLogged: "a replica of another server is not asked: the primary answers" },
  BehindError: { onlyLogged: "a replica that does not follow is not asked: the primary answers" },
  NotBegunYet: { onlyLogged: "a message for a lease whose start is on its way: sent again" },
  StuckMessage: { onlyLogged: "a message of the outbox that fails again and again" },
  InvalidPermissionError: { bug: "a pair of resource and action that no route may ask for" },
};

const FILES = ["src/**/*.ts", "activities/**/*.ts", "workflows/**/*.ts"]
  .flatMap((pattern) => globSync(pattern))
  .filter((file) => !file.endsWith(".test.ts"));

function declared(): Map<string, string> {
  const parents = new Map<string, string>();
  for (const file of FILES) {
    for (const [, name, parent] of readFileSync(file, "utf8").matchAll(/\bclass (\w+) extends (\w+)/g)) {
      if (/Error$/.test(parent as string) || ENDS[parent as string]) parents.set(name as string, parent as string);
    }
  }
  return parents;
}

function ancestors(name: string, parents: Map<string, string>): string[] {
  const parent = parents.get(name);
  return parent === undefined ? [name] : [name, ...ancestors(parent, parents)];
}

const parents = declared();

it("finds the classes that there are", () => {
  expect(parents.size).toBeGreaterThan(60);
  expect(ancestors("UnlinkedError", parents)).toContain("ProblemError");
  for (const name of ["HostError", "DecryptionError"]) expect(ancestors(name, parents)).toContain("ProblemError");
});

it.each([...parents.keys()])("%s is a problem, or its way ends in one known place", (name) => {
  const line = ancestors(name, parents);
  if (line.includes("ProblemError")) return;
  expect(line.filter((one) => one in ENDS)).not.toEqual([]);
});

it.each(Object.entries(ENDS))("%s ends where the list says", (name, end) => {
  expect(parents.has(name)).toBe(true);
  if (!("caughtIn" in end)) return;
  for (const file of end.caughtIn) {
    const caught = new RegExp(`instanceof ${name}\\b`).test(readFileSync(file, "utf8"));
    expect([file, caught]).toEqual([file, true]);
  }
});
