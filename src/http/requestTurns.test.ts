import { describe, expect, it } from "vitest";
import type { Principal } from "./principal.ts";
import { RequestTurns, type TurnKind } from "./requestTurns.ts";

const machine = (orgId: string): Principal => ({
  ...{ kind: "service_account", id: `machine of ${orgId}`, orgId, tokenId: "t" },
  credential: { kind: "service_account_token", tokenId: "t", tokenName: "t" },
});
const browser = (id: string): Principal => ({ kind: "user", id, credential: { kind: "session", sessionId: "s" } });

const asking = (who: Principal, kind: TurnKind = "brief") => ({
  ...{ credential: who.id, kind },
  authenticate: async () => who,
});

/** Requests that stay until let go, and how many of each caller are under way. */
function crowd(turns: RequestTurns) {
  const inside = new Map<string, number>();
  const gone = Promise.withResolvers<void>();
  return {
    send: (who: Principal, count: number, kind: TurnKind = "brief") =>
      Array.from({ length: count }, () =>
        turns.within(asking(who, kind), async () => {
          inside.set(who.id, (inside.get(who.id) ?? 0) + 1);
          await gone.promise;
        }),
      ),
    inside: async (who: Principal) => {
      await new Promise((resolve) => setImmediate(resolve));
      return inside.get(who.id) ?? 0;
    },
    letGo: gone.resolve,
  };
}

describe("requests that write", () => {
  it("of one organization take all places while nobody else asks for anything", async () => {
    const { send, inside, letGo } = crowd(new RequestTurns(5));
    const sent = send(machine("a"), 20);
    expect(await inside(machine("a"))).toBe(5);
    letGo();
    await Promise.all(sent);
    expect(await inside(machine("a"))).toBe(20);
  });

  it("share the places with others who ask, reading too, and leave each one at least", async () => {
    const { send, inside, letGo } = crowd(new RequestTurns(5));
    const sent = [...send(browser("reader"), 9, "none"), ...send(machine("a"), 20), ...send(machine("b"), 20)];
    expect(await inside(browser("reader"))).toBe(9);
    // The first two came before the others were known.
    expect(await inside(machine("a"))).toBe(2);
    expect(await inside(machine("b"))).toBe(1);
    sent.push(...send(browser("writer"), 3), ...["c", "d", "e"].flatMap((org) => send(machine(org), 3)));
    expect(await inside(machine("e"))).toBe(1);
    letGo();
    await Promise.all(sent);
  });

  it("whose turn is kept are two at most, and keep nobody from a brief one", async () => {
    const { send, inside, letGo } = crowd(new RequestTurns(8));
    const sent = send(machine("a"), 6, "whole");
    expect(await inside(machine("a"))).toBe(2);
    sent.push(...send(machine("a"), 1));
    expect(await inside(machine("a"))).toBe(3);
    letGo();
    await Promise.all(sent);
  });

  it("that would wait in too long a line, or for too long, are refused and may come again", async () => {
    const turns = new RequestTurns(1, { longestLine: 2, longestWaitMs: 30 });
    const { send, letGo } = crowd(turns);
    const sent = await Promise.allSettled([...send(machine("a"), 4).slice(1), ...send(machine("b"), 0)]);
    const refusals = sent.map((one) => (one.status === "rejected" ? one.reason : null));
    expect(refusals).toEqual(Array(3).fill(expect.objectContaining({ status: 429 })));
    expect(turns.waiting).toBe(0);
    letGo();
  });

  it("of a session count for its person, whatever organization they name", async () => {
    const { send, inside, letGo } = crowd(new RequestTurns(2));
    const sent = [...send(browser("p"), 4), ...send(machine("a"), 1)];
    expect([await inside(browser("p")), await inside(machine("a"))]).toEqual([2, 1]);
    letGo();
    await Promise.all(sent);
  });

  it("are authenticated in their turn once their caller is known, each of them", async () => {
    const turns = new RequestTurns(1);
    let authenticated = 0;
    const asked = {
      ...asking(machine("a")),
      authenticate: async () => {
        authenticated += 1;
        return machine("a");
      },
    };
    const gone = Promise.withResolvers<void>();
    const sent = [turns.within(asked, () => gone.promise)];
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 9; i++) sent.push(turns.within(asked, async () => {}));
    await new Promise((resolve) => setImmediate(resolve));
    expect(authenticated).toBe(1);
    gone.resolve();
    await Promise.all(sent);
    expect(authenticated).toBe(10);
  });

  it("of a credential that is new are authenticated two at once", async () => {
    const turns = new RequestTurns(5);
    let authenticating = 0;
    let most = 0;
    const authenticate = async () => {
      most = Math.max(most, ++authenticating);
      await new Promise((resolve) => setImmediate(resolve));
      authenticating -= 1;
      return machine("a");
    };
    const sent = Array.from({ length: 20 }, () =>
      turns.within({ ...asking(machine("a")), authenticate }, async () => {}),
    );
    await Promise.all(sent);
    expect(most).toBe(2);
  });

  it("whose credential holds no longer are refused as before, and whoever it was known as keeps their turns", async () => {
    const turns = new RequestTurns(1);
    await turns.within(asking(machine("a")), async () => {});
    const revoked = { ...asking(machine("a")), authenticate: () => Promise.reject(new Error("not authenticated")) };
    await expect(turns.within(revoked, async () => {})).rejects.toThrow("not authenticated");
    expect(await turns.within(asking(machine("a")), async () => "done")).toBe("done");
  });
});
