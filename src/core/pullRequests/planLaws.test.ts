/** What holds of the steps for a stack, whatever the state of its pull request and previews. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { lane } from "../../../test/support/lanes.ts";
import { preview } from "../../../test/support/requestStates.ts";
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from "../deployments/lifecycle.ts";
import { withdrawPreview } from "../deployments/transitions/withdrawPreview.ts";
import { isIdle, type KnownPreview, planSteps, type StackSettings, type Steps, type TouchingRequest } from "./plan.ts";

const condition = fc.constantFrom(true, false, null);
const anyRequest = fc.record({
  is_fork: fc.boolean(),
  generation: fc.constantFrom(2, 3),
  files: fc.constantFrom(
    { paths: ["network/a"], complete: true },
    { paths: [], complete: true },
    { paths: [], complete: false },
  ),
  approved: condition,
  mergeable: condition,
  checks_passed: condition,
});
const anyStack = fc.record({
  working_directory: fc.constantFrom("network", "."),
  pr_plan_mode: fc.constantFrom("manual", "auto"),
  fork_previews: fc.boolean(),
  pr_requirements: fc.constantFrom(
    {},
    { plan: ["approved"] },
    { plan: ["mergeable", "checks_passed"], promote: ["approved"] },
  ),
}) as fc.Arbitrary<StackSettings>;
const anyPreviews = fc
  .array(
    fc.tuple(
      fc.constantFrom(...DEPLOYMENT_STATUSES),
      fc.constantFrom(1, 2, 3),
      fc.constantFrom(null, "retracted", "superseded"),
      fc.boolean(),
    ),
    {
      maxLength: 4,
    },
  )
  .map((all) =>
    all.map(([status, generation, skipped_reason, automatic], i) =>
      preview(status, { id: `p-${i}`, generation, skipped_reason, automatic }),
    ),
  );

it("the steps leave nothing more to do, and take back only what lives", () => {
  fc.assert(
    fc.property(fc.option(anyRequest), fc.option(anyStack), fc.boolean(), anyPreviews, (of, on, linked, previews) => {
      const steps = planSteps(of, on, linked, previews);
      expect(new Set(steps.withdraw.map(({ id }) => id)).size).toBe(steps.withdraw.length);
      if (of?.is_fork && !on?.fork_previews) expect(steps.create).not.toBe("pending");
      const now = steps.link === "add" || steps.link === "keep";
      expect(isIdle(planSteps(of, on, now, carriedOut(steps, previews, of)))).toBe(true);
    }),
  );
});

function carriedOut(
  { withdraw, create }: Steps,
  previews: readonly KnownPreview[],
  of: TouchingRequest | null,
): KnownPreview[] {
  const left = previews.map((one) => {
    const taken = withdraw.find(({ id }) => id === one.id);
    if (!taken) return one;
    const to = withdrawPreview(
      lane({ mode: "plan_unlocked", status: one.status as DeploymentStatus }),
      taken.reason,
    )?.deployment;
    return { ...one, status: to?.to ?? one.status, skipped_reason: to?.skippedReason ?? null };
  });
  const made = preview(create === "parked" ? "waiting" : "pending", { id: "new", generation: of?.generation ?? 0 });
  return create ? [...left, made] : left;
}
