import { expect, test } from "vitest";
import {
  cascadeStart,
  deploymentStart,
  leaseStart,
  notificationStart,
  previewStart,
  scmEventStart,
  startOptions,
  taskStart,
} from "./starts.ts";

const subject = { orgId: "o", stackKey: "s", deploymentId: "d", mode: "plan", origin: "manual" };

test("deployments and leases stand before whatever shares their queue", () => {
  const first = [deploymentStart(subject), leaseStart("r", subject, 1_000)];
  expect(first.map((start) => startOptions(start).priority)).toEqual([{ priorityKey: 1 }, { priorityKey: 1 }]);
  expect(startOptions(taskStart({ orgId: "o", task: "t", stackKey: null })).priority).toBeUndefined();
});

test("in every queue that an organization may fill each one gets its turn", () => {
  const starts = [
    cascadeStart(subject),
    previewStart({ orgId: "o", stackKey: "s", repositoryHash: "h", number: 1 }),
    scmEventStart({ orgId: "o", key: "k" }),
    notificationStart({ orgId: "o", deliveryId: "n" }),
  ];
  expect(starts.map((start) => startOptions(start).priority)).toEqual(starts.map(() => ({ fairnessKey: "o" })));
  expect(startOptions(starts[3]!)).toMatchObject({ taskQueue: "notify" });
});

test("a start that sleeps is rounded up, so that it never wakes before its deadline", () => {
  expect(startOptions(leaseStart("r", subject, 1_000.2)).startDelay).toBe(1_001);
  expect(startOptions(leaseStart("r", subject, 0))).not.toHaveProperty("startDelay");
});
