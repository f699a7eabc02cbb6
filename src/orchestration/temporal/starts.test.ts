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
  expect(first.map((start) => startOptions(start).priority)).toEqual(
    first.map(() => ({ priorityKey: 1, fairnessKey: "o" })),
  );
});

test("in every queue that an organization may fill each one gets its turn", () => {
  const starts = [
    cascadeStart(subject),
    previewStart({ orgId: "o", stackKey: "s", repositoryHash: "h", number: 1 }),
    scmEventStart({ orgId: "o", key: "k" }),
    notificationStart({ orgId: "o", deliveryId: "n" }),
    taskStart({ orgId: "o", task: "t", stackKey: null }),
  ];
  expect(starts.map((start) => startOptions(start).priority)).toEqual(starts.map(() => ({ fairnessKey: "o" })));
  for (const start of starts.slice(3)) expect(startOptions(start)).toMatchObject({ taskQueue: "notify" });
});

test("a start that sleeps is rounded up, so that it never wakes before its deadline", () => {
  expect(startOptions(leaseStart("r", subject, 1_000.2)).startDelay).toBe(1_001);
  expect(startOptions(leaseStart("r", subject, 0))).not.toHaveProperty("startDelay");
});
