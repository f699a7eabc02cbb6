import { ApplicationFailure } from "@temporalio/common";
import type { ActivityExecuteInput } from "@temporalio/worker";
import { expect, test } from "vitest";
import { activityTurns, type Places } from "./activityTurns.ts";

const input = { args: [], headers: {} } as ActivityExecuteInput;

function placesFor(most: number): Places & { inside: number } {
  return {
    inside: 0,
    enter() {
      if (this.inside >= most) return { in: false, againMs: 1_234 };
      this.inside += 1;
      return { in: true, leave: () => void this.inside-- };
    },
  };
}

test("what finds no place is not begun, and comes again when one should be free", async () => {
  const places = placesFor(1);
  const hang = Promise.withResolvers<string>();
  const first = activityTurns(places, "org").execute(input, () => hang.promise);
  let begun = false;
  const second = activityTurns(places, "org").execute(input, async () => {
    begun = true;
  });
  const failure = await second.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: "NoPlace", nextRetryDelay: 1_234, nonRetryable: false });
  expect(begun).toBe(false);
  hang.resolve("done");
  expect(await first).toBe("done");
  expect(places.inside).toBe(0);
});

test("a place is given back by what fails too; what concerns no organization takes none", async () => {
  const places = placesFor(1);
  const failing = activityTurns(places, "org").execute(input, () => Promise.reject(new Error("broken")));
  await expect(failing).rejects.toThrow("broken");
  expect(places.inside).toBe(0);
  const hang = Promise.withResolvers<void>();
  const one = activityTurns(places, undefined).execute(input, () => hang.promise);
  expect(places.inside).toBe(0);
  hang.resolve();
  await one;
});
