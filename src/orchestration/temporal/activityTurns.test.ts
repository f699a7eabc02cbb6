import { ApplicationFailure } from "@temporalio/common";
import type { ActivityExecuteInput } from "@temporalio/worker";
import { expect, test } from "vitest";
import { ActivityPlaces, activityTurns } from "./activityTurns.ts";

const input = { args: [], headers: {} } as ActivityExecuteInput;
const of = (organization: string | undefined, attempt = 1) => ({ organization, attempt });
const hanging = () => Promise.withResolvers<string>();

test("what finds no place is not begun, and comes again soon, later the longer it waits; others are let in", async () => {
  const places = new ActivityPlaces(1);
  const hang = hanging();
  const first = activityTurns(places, of("org")).execute(input, () => hang.promise);
  let begun = 0;
  const tried = (organization: string, attempt: number) =>
    activityTurns(places, of(organization, attempt))
      .execute(input, async () => ++begun)
      .catch((error: unknown) => error as ApplicationFailure);
  const refused = (await tried("org", 1)) as ApplicationFailure;
  expect(refused).toBeInstanceOf(ApplicationFailure);
  expect(refused).toMatchObject({ type: "NoPlace", nonRetryable: false });
  expect(begun).toBe(0);
  const pauses = [refused, await tried("org", 5), await tried("org", 50)].map(
    (failure) => (failure as ApplicationFailure).nextRetryDelay as number,
  );
  expect(pauses[0]).toBeLessThan(500);
  expect(pauses[1]).toBeGreaterThan(1_000);
  expect(pauses[2]).toBeGreaterThan(5_000);
  expect(pauses[2]).toBeLessThan(11_000);
  expect(await tried("another", 1)).toBe(1);
  hang.resolve("done");
  expect(await first).toBe("done");
  expect(await tried("org", 1)).toBe(2);
});

test("a place is given back by what fails too; what concerns no organization takes none", async () => {
  const places = new ActivityPlaces(1);
  const failing = activityTurns(places, of("org")).execute(input, () => Promise.reject(new Error("broken")));
  await expect(failing).rejects.toThrow("broken");
  expect(places.enter("org")).toBe(true);
  const none = activityTurns(places, of(undefined)).execute(input, async () => "done");
  expect(await none).toBe("done");
});
