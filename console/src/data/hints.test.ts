import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hintedReads } from "./hints.ts";
import { keys } from "./keys.ts";

const hint = (deployment: string) => ({ deployment, stack: "s", status: "waiting", version: "1" });
let client: QueryClient;
const count = (key: readonly string[]) =>
  vi.mocked(client.invalidateQueries).mock.calls.filter(([filter]) => `${filter?.queryKey}` === `${key}`).length;

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  vi.spyOn(client, "invalidateQueries");
});
afterEach(() => vi.useRealTimers());

test("a deployment is read again at once, and lists twice a second however many hints come", () => {
  const read = hintedReads(client, "o");
  for (let index = 0; index < 100; index++) read(hint(`d${index}`));
  expect(count(keys.deployment("o", "s", "d99"))).toBe(1);
  expect(count(keys.overview("o"))).toBeLessThanOrEqual(1);
  vi.advanceTimersByTime(500);
  expect(count(keys.overview("o"))).toBe(1);
  expect(count(keys.deployments("o"))).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(count(keys.overview("o"))).toBe(1);
});

test("after a time without hints everything of the organization is read, but for what never changes", () => {
  const read = hintedReads(client, "o");
  client.setQueryData(keys.overview("o"), 1);
  client.setQueryData(keys.plan("o", "r"), 1);
  client.setQueryData(keys.overview("other"), 1);
  read(null);
  const stale = (key: readonly string[]) => client.getQueryState(key)?.isInvalidated;
  expect([keys.overview("o"), keys.plan("o", "r"), keys.overview("other")].map(stale)).toEqual([true, false, false]);
});
