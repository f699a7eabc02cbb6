import { describe, expect, it } from "vitest";
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
