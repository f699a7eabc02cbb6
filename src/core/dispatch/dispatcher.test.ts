/** Who is woken for what, by a database that only says how many runs a group could take. */
import { afterEach, describe, expect, it } from "vitest";
import type { Db } from "../../platform/db/client.ts";
import { Dispatcher, type Visit } from "./dispatcher.ts";

/** Longer than any test: looks come from hints alone. */
const NEVER_MS = 3_600_000;
const HERE = new AbortController().signal;

let dispatcher: Dispatcher;
/** Runs that could be taken, by group; null: the database is away. */
let runs: Record<string, number> | null;
let looks: number;

function start(): void {
  looks = 0;
  const execute = async () => {
    looks++;
    if (runs === null) throw new Error("away");
    return Object.entries(runs).map(([id, count]) => ({ id, runs: count }));
  };
  dispatcher = new Dispatcher({ execute } as unknown as Db, { rateLimit: false, maxPerOrg: undefined }, NEVER_MS);
}
afterEach(() => dispatcher.close());

const poller = (group = "g") => {
  const visit = dispatcher.enter();
  return { visit, woken: visit.wait(group, NEVER_MS, HERE) };
};
/** Every promise that can settle by now has. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a look", () => {
  it("wakes as many pollers of a group as it could take runs, first come first served", async () => {
    runs = { g: 2, other: 1 };
    start();
    const [first, second, third] = [poller(), poller(), poller()];
    dispatcher.hint();
    expect(await Promise.all([first?.woken, second?.woken])).toEqual(["work", "work"]);
    expect(dispatcher.waiting).toBe(1);
    dispatcher.close();
    expect(await third?.woken).toBe("closing");
  });

  it("wakes nobody for a run that a woken poller is trying for, until that one is back without it", async () => {
    runs = { g: 1 };
    start();
    const [first, second] = [poller(), poller()];
    dispatcher.hint();
    await first?.woken;
    dispatcher.hint();
    await settled();
    expect(dispatcher.waiting).toBe(1);
    first?.visit.leave();
    expect(await second?.woken).toBe("work");
  });

  it("is one for all who wait, and one more for hints that came during it", async () => {
    runs = {};
    start();
    for (let i = 0; i < 5; i++) poller();
    for (let i = 0; i < 5; i++) dispatcher.hint();
    await settled();
    expect(looks).toBe(2);
  });

  it("that meets a database that is away wakes nobody, and the next one does", async () => {
    runs = null;
    start();
    const { woken } = poller();
    dispatcher.hint();
    await settled();
    expect(dispatcher.waiting).toBe(1);
    runs = { g: 1 };
    dispatcher.hint();
    expect(await woken).toBe("work");
  });

  it("is not taken while nobody waits", async () => {
    runs = {};
    start();
    dispatcher.hint();
    await settled();
    expect(looks).toBe(0);
  });
});

describe("a poll", () => {
  const wait = (visit: Visit, ms = NEVER_MS, gone = HERE) => visit.wait("g", ms, gone);

  it("misses no hint between its first look and its wait", async () => {
    runs = { g: 1 };
    start();
    const visit = dispatcher.enter();
    dispatcher.hint();
    expect(await wait(visit)).toBe("work");
  });

  it("ends when its time is up, when its client has gone, and when the process stops", async () => {
    runs = {};
    start();
    expect(await wait(dispatcher.enter(), 0)).toBe("timeout");
    const client = new AbortController();
    const left = wait(dispatcher.enter(), NEVER_MS, client.signal);
    client.abort();
    expect(await left).toBe("gone");
    expect(await wait(dispatcher.enter(), NEVER_MS, client.signal)).toBe("gone");
    dispatcher.close();
    expect(await wait(dispatcher.enter())).toBe("closing");
    expect(dispatcher.waiting).toBe(0);
  });
});
