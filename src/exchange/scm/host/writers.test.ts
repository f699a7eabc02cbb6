import { expect, it } from "vitest";
import type { Listed, RepositoryCalls } from "./client.ts";
import { HostError } from "./errors.ts";
import { writersIn } from "./writers.ts";

const listed = (list: () => Promise<Listed>) => writersIn({ list } as unknown as RepositoryCalls, "/assignees")();

it("a list of writers is a set of their ids, and a cut one says nothing", async () => {
  const items = [{ id: 1 }, { id: 2 }, { id: "3" }, null, {}];
  expect(await listed(async () => ({ items, complete: true }))).toEqual(new Set([1, 2]));
  expect(await listed(async () => ({ items, complete: false }))).toBeNull();
});

it("what the host does not show is not known, and what it could not say for now is asked again", async () => {
  for (const failure of ["not_found", "refused", "hidden", "too_large"] as const) {
    expect(await listed(() => Promise.reject(new HostError(failure)))).toBeNull();
  }
  for (const failure of ["rate_limited", "unavailable"] as const) {
    await expect(listed(() => Promise.reject(new HostError(failure)))).rejects.toMatchObject({ failure });
  }
});
