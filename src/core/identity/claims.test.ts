import fc from "fast-check";
import { expect, test } from "vitest";
import { RUN_KINDS } from "../runs/protocol.ts";
import { claimsOf, type IdentitySubject, PHASES, phaseOf, subjectOf } from "./claims.ts";

const SUBJECT: IdentitySubject = {
  orgId: "0199c0de-0000-7000-8000-000000000001",
  stackKey: "0199c0de-0000-7000-8000-000000000002",
  stackSlug: "network",
  deploymentId: "0199c0de-0000-7000-8000-000000000003",
  runId: "0199c0de-0000-7000-8000-000000000004",
  runKind: "plan_run",
  mode: "plan",
  originType: "manual",
  provenance: "branch",
  branch: "main",
  commitSha: "a".repeat(40),
  runnerGroupId: null,
  labels: {},
};

test("code that nobody merged has the phase of previews, whatever kind of run it is", () => {
  const plans = RUN_KINDS.map((runKind) => ({ runKind, mode: "plan" }));
  for (const run of plans) expect(phaseOf(run, "previews")).toBe("preview");
  expect(plans.map((run) => phaseOf(run, "all"))).toEqual(["plan", "plan", "plan", "apply", "command"]);
  const check = { runKind: "plan_run", mode: "drift" } as const;
  expect([phaseOf(check, "all"), phaseOf(check, "previews")]).toEqual(["drift", "preview"]);
});

test("the subject is short enough for every cloud, and made of ids and a closed word alone", () => {
  const subjects = PHASES.map((phase) => subjectOf(SUBJECT, phase));
  // Google takes 127 bytes.
  for (const subject of subjects) expect(subject.length).toBeLessThanOrEqual(127);
  expect(subjects[0]).toBe(`org:${SUBJECT.orgId}:stack:${SUBJECT.stackKey}:phase:plan`);
});

test("nothing that people choose changes the subject", () => {
  const text = fc.string({ maxLength: 80 });
  fc.assert(
    fc.property(fc.tuple(text, text, text, text), fc.constantFrom(...PHASES), ([slug, branch, mode, label], phase) => {
      const chosen = { ...SUBJECT, stackSlug: slug, branch, mode, labels: { environment: label } };
      return subjectOf(chosen, phase) === subjectOf(SUBJECT, phase) && claimsOf(chosen, phase).phase === phase;
    }),
  );
});

test("the branch is said only of a commit that the host knows on it", () => {
  expect(claimsOf(SUBJECT, "plan").branch).toBe("main");
  for (const provenance of ["pull_request", "local", "unknown"])
    expect(claimsOf({ ...SUBJECT, provenance }, "preview")).not.toHaveProperty("branch");
});
