import { expect, it } from "vitest";
import { LooksInTurn } from "./looksInTurn.ts";

it("many look together, each finds its own, and who comes later is in the next look", async () => {
  const looks: string[][] = [];
  const inTurn = new LooksInTurn(async (names) => {
    looks.push([...names]);
    return new Map(names.filter((name) => name !== "none").map((name) => [name, name.toUpperCase()]));
  }, 5);
  const found = await Promise.all([..."abcab", "none"].map((name) => inTurn.find(name)));
  expect(found).toEqual(["A", "B", "C", "A", "B", undefined]);
  expect(await inTurn.find("d")).toBe("D");
  expect(looks).toEqual([["a", "b", "c", "none"], ["d"]]);
});

it("a look that fails is everybody's who waited, and nobody else's", async () => {
  let fails = true;
  const inTurn = new LooksInTurn(async (names) => {
    if (fails) throw new Error("away");
    return new Map(names.map((name) => [name, name]));
  }, 1);
  const both = await Promise.allSettled([inTurn.find("a"), inTurn.find("b")]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  fails = false;
  expect(await inTurn.find("a")).toBe("a");
});
