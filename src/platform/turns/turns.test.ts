import { describe, expect, it } from "vitest";
import { Recent } from "./recent.ts";
import { aside } from "./turn.ts";
import { Turns } from "./turns.ts";

describe("Turns", () => {
  it("lets so many in at once for each key, then the next in order", async () => {
    const turns = new Turns(2);
    const entered: number[] = [];
    let inside = 0;
    let most = 0;
    const visit = async (n: number) => {
      await using turn = await turns.take("a", 1_000);
      expect(turn.mine).toBe(true);
      entered.push(n);
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside--;
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => visit(n)));
    expect(entered).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(most).toBe(2);
    await using other = await turns.take("b", 0);
    expect(other.mine).toBe(true);
  });

  it("gives up after the wait, and the turn goes to whoever still waits", async () => {
    const turns = new Turns(1);
    const first = await turns.take("a", 1_000);
    const late = await turns.take("a", 5);
    expect(late.mine).toBe(false);
    const patient = turns.take("a", 1_000);
    await late[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    expect((await patient).mine).toBe(true);
  });
});

const gate = () => Promise.withResolvers<void>();
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("a line", () => {
  it("refuses at once what comes beyond its length, of that key alone", async () => {
    const turns = new Turns(1, 2);
    const first = await turns.take("a", 1_000);
    const waiting = [turns.take("a", 1_000), turns.take("a", 1_000)];
    expect((await turns.take("a", 1_000)).mine).toBe(false);
    expect((await turns.take("b", 1_000)).mine).toBe(true);
    expect(turns.waiting).toBe(2);
    await first[Symbol.asyncDispose]();
    const second = await (waiting[0] as (typeof waiting)[0]);
    expect(second.mine).toBe(true);
    await second[Symbol.asyncDispose]();
    expect((await waiting[1])?.mine).toBe(true);
  });

  it("moves on as far as there is room when there is more of it", async () => {
    let room = 1;
    const turns = new Turns(() => room);
    const first = await turns.take("a", 1_000);
    const waiting = [1, 2, 3].map(() => turns.take("a", 1_000));
    room = 2;
    await first[Symbol.asyncDispose]();
    expect((await Promise.all(waiting.slice(0, 2))).map(({ mine }) => mine)).toEqual([true, true]);
    expect(turns.waiting).toBe(1);
  });
});

describe("stepping aside", () => {
  it("lets the next one in, and comes back before those who wait", async () => {
    const turns = new Turns(1);
    const order: string[] = [];
    const [away, second] = [gate(), gate()];
    const visit = async (name: string, work: () => Promise<void>) => {
      await using turn = await turns.take("a", 1_000);
      order.push(`${name} in`);
      await turn.within(work);
      order.push(`${name} out`);
    };
    const visits = [
      visit("1", async () => {
        await aside(() => away.promise);
        order.push("1 back");
      }),
      visit("2", () => second.promise),
      visit("3", async () => {}),
    ];
    await soon();
    expect(order).toEqual(["1 in", "2 in"]);
    away.resolve();
    await soon();
    second.resolve();
    await Promise.all(visits);
    expect(order).toEqual(["1 in", "2 in", "2 out", "1 back", "1 out", "3 in", "3 out"]);
  });

  it("of several calls at once gives the turn away once, and takes it once", async () => {
    const turns = new Turns(1);
    const calls = [gate(), gate()];
    const turn = await turns.take("a", 1_000);
    const all = turn.within(() => Promise.all(calls.map((call) => aside(() => call.promise))));
    for (const call of calls) {
      const meanwhile = await turns.take("a", 1_000);
      expect(meanwhile.mine).toBe(true);
      await meanwhile[Symbol.asyncDispose]();
      call.resolve();
    }
    await all;
    expect((await turns.take("a", 0)).mine).toBe(false);
    await turn[Symbol.asyncDispose]();
    expect((await turns.take("a", 0)).mine).toBe(true);
    expect((await turns.take("a", 0)).mine).toBe(false);
  });

  it("goes on without a turn once that is over, and where there never was one", async () => {
    const turns = new Turns(1);
    const turn = await turns.take("a", 1_000);
    const left = gate();
    const late = turn.within(async () => {
      await left.promise;
      return aside(async () => "done");
    });
    await turn[Symbol.asyncDispose]();
    await using other = await turns.take("a", 0);
    left.resolve();
    expect([await late, await aside(async () => "done"), other.mine]).toEqual(["done", "done", true]);
  });

  it("keeps a failure, and the turn", async () => {
    const turns = new Turns(1);
    await using turn = await turns.take("a", 1_000);
    await expect(turn.within(() => aside(() => Promise.reject(new Error("away"))))).rejects.toThrow("away");
    expect((await turns.take("a", 0)).mine).toBe(false);
  });
});

it("counts who came lately", () => {
  const recent = new Recent(100, 0);
  for (const [key, at] of [
    ["a", 0],
    ["b", 50],
    ["a", 60],
  ] as const)
    recent.see(key, at);
  expect(recent.count(60)).toBe(2);
  recent.see("b", 120);
  expect(recent.count(130)).toBe(2);
  recent.see("b", 230);
  expect(recent.count(230)).toBe(1);
  expect(recent.count(1_000)).toBe(0);
});
