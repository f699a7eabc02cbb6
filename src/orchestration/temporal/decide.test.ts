import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { WorkflowSubject } from "../../work/message.ts";
import type { UpdateCall } from "./client.ts";
import { type DecisionRows, decider } from "./decide.ts";
import { TemporalUnavailable } from "./errors.ts";

const live = (deploymentId: string): WorkflowSubject => ({
  orgId: "org",
  stackKey: "stack",
  deploymentId,
  mode: "plan",
  origin: "manual",
});

const rows = (carriers: readonly string[]): DecisionRows => ({
  liveSubject: async (id) => live(id),
  carrierOf: async (_batchId, but) => carriers.filter((id) => id !== but).map(live)[0] ?? null,
});

/** A Temporal whose Updates take a moment, and which remembers how many were under way at once for each workflow. */
function slowTemporal() {
  const most = new Map<string, number>();
  const now = new Map<string, number>();
  const add = (key: string, by: number) => {
    now.set(key, (now.get(key) ?? 0) + by);
    most.set(key, Math.max(most.get(key) ?? 0, now.get(key) ?? 0));
  };
  return {
    most,
    start: async () => "started" as const,
    async update({ workflowId }: UpdateCall) {
      add(workflowId, 1);
      await sleep(5);
      add(workflowId, -1);
      return "answered" as const;
    },
  };
}

it("sends at most three decisions of one deployment at once", async () => {
  const temporal = slowTemporal();
  const { decide } = decider(temporal, rows([]));
  const all = ["a", "b"].flatMap((id) => Array.from({ length: 12 }, (_, i) => decide(id, "cancel", `${i}`, 5_000)));
  expect(new Set(await Promise.all(all))).toEqual(new Set(["answered"]));
  expect(Object.fromEntries(temporal.most)).toEqual({ "deployment/a": 3, "deployment/b": 3 });
});

it("asks another workflow once when the one that had the batch was ended, and not a third", async () => {
  const asked: string[] = [];
  const failing = (failures: number) => ({
    start: async () => "started" as const,
    async update({ workflowId }: UpdateCall) {
      asked.push(workflowId);
      if (asked.length <= failures) throw new TemporalUnavailable("handler");
      return "answered" as const;
    },
  });
  expect(await decider(failing(1), rows(["a", "b"])).decideMany("1", 5_000)).toBe("answered");
  expect(asked.splice(0)).toEqual(["deployment/a", "deployment/b"]);
  expect(await decider(failing(9), rows(["a", "b", "c"])).decideMany("1", 5_000)).toBe("unavailable");
  expect(asked).toEqual(["deployment/a", "deployment/b"]);
});

it("starts a workflow that is missing, unless another is to carry the batch by now", async () => {
  const started: string[] = [];
  const carriers = ["a", "b"];
  let asked = 0;
  const temporal = {
    async start({ workflowId }: { workflowId: string }) {
      started.push(workflowId);
      return "started" as const;
    },
    async update() {
      asked += 1;
      if (asked === 1) carriers.shift();
      return asked < 3 ? ("missing" as const) : ("answered" as const);
    },
  };
  expect(await decider(temporal, rows(carriers)).decideMany("1", 5_000)).toBe("answered");
  expect(started).toEqual(["deployment/b"]);
});
