import { expect, it } from "vitest";
import { TenantGate } from "./tenantGate.ts";

/** Five seconds, and by chance half as much again. */
const aWhile = (seconds: number) => seconds >= 5 && seconds <= 8;

const limits = { perTenant: 2, total: 3, waitMs: 50 };
const hanging = () => Promise.withResolvers<void>();

it("a tenant whose calls hang is refused with 429 and a time, while another goes through", async () => {
  const gate = new TenantGate(limits);
  const hang = hanging();
  const held = [gate.through("a", () => hang.promise), gate.through("a", () => hang.promise)];
  await expect(gate.through("a", async () => 1)).rejects.toMatchObject({
    status: 429,
    retryAfterSeconds: expect.toSatisfy(aWhile),
  });
  expect(await gate.through("b", async () => 2)).toBe(2);
  hang.resolve();
  await Promise.all(held);
  expect(await gate.through("a", async () => 3)).toBe(3);
});

it("when all places are taken the others are told 503", async () => {
  const gate = new TenantGate(limits);
  const hang = hanging();
  const held = ["a", "a", "b"].map((tenant) => gate.through(tenant, () => hang.promise));
  await expect(gate.through("c", async () => 1)).rejects.toMatchObject({
    status: 503,
    retryAfterSeconds: expect.toSatisfy(aWhile),
  });
  hang.resolve();
  await Promise.all(held);
});

it("who waits has the next place, in order, and failures give theirs back", async () => {
  const gate = new TenantGate({ ...limits, waitMs: 5_000 });
  const order: string[] = [];
  const hang = hanging();
  const failing = gate.through("a", () => hang.promise.then(() => Promise.reject(new Error("broken"))));
  const held = gate.through("a", () => hang.promise);
  const waiting = ["x", "y", "z"].map((name) => gate.through("a", async () => void order.push(name)));
  expect(order).toEqual([]);
  hang.resolve();
  await expect(failing).rejects.toThrow("broken");
  await Promise.all([held, ...waiting]);
  expect(order).toEqual(["x", "y", "z"]);
});

it("a line has an end: who comes after eight is refused at once", async () => {
  const gate = new TenantGate({ ...limits, waitMs: 60_000 });
  const hang = hanging();
  const held = Array.from({ length: 10 }, () => gate.through("a", () => hang.promise));
  await expect(gate.through("a", async () => 1)).rejects.toMatchObject({ status: 429 });
  hang.resolve();
  await Promise.all(held);
});
