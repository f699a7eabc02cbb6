import { expect, test } from "vitest";
import { lane } from "../../../../test/support/lanes.ts";
import { decideWithdrawCheck } from "./decideWithdrawCheck.ts";

const before = (of: object) => lane({ mode: "drift", ...of } as Parameters<typeof lane>[0]);

test("a check that nobody has accepted ends at once, and one at work is asked to stop", () => {
  expect(decideWithdrawCheck(before({ status: "pending" }))).toMatchObject({
    run: { to: "cancelled" },
    deployment: { to: "cancelled" },
  });
  expect(decideWithdrawCheck(before({ status: "planning" }))).toMatchObject({
    run: { to: "requested_cancellation" },
    deployment: { to: "requested_cancellation" },
  });
});

test.each(["finished", "failed", "cancelled", "requested_cancellation", "cancelling"])("not when it is %s", (status) =>
  expect(decideWithdrawCheck(before({ status }))).toBeNull(),
);

test("nothing but a check gives way", () => {
  expect(decideWithdrawCheck(lane({ mode: "plan_unlocked", status: "planning" }))).toBeNull();
});
