import { expect, it } from "vitest";
import { FileLists } from "./fileLists.ts";

const list = (...paths: string[]) => ({ paths, complete: true });

it("asks once for what stays the same, for an hour at most", async () => {
  let now = 1_000;
  let asked = 0;
  const lists = new FileLists({ now: () => now });
  const ask = async () => list(`asked ${++asked}`);
  expect(await lists.of("a", ask)).toEqual(list("asked 1"));
  expect(await lists.of("a", ask)).toEqual(list("asked 1"));
  expect(await lists.of("b", ask)).toEqual(list("asked 2"));
  now += 3_600_000;
  expect(await lists.of("a", ask)).toEqual(list("asked 1"));
  now += 1;
  expect(await lists.of("a", ask)).toEqual(list("asked 3"));
});

it("keeps nothing that is not whole, and no failure", async () => {
  const lists = new FileLists();
  expect(await lists.of("a", async () => ({ paths: ["x"], complete: false }))).toMatchObject({ complete: false });
  await expect(lists.of("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await lists.of("a", async () => list("y"))).toEqual(list("y"));
});

it("forgets the oldest when there are too many paths", async () => {
  const lists = new FileLists();
  const many = Array.from({ length: 2_999 }, (_, n) => String(n));
  for (let n = 0; n < 70; n++) await lists.of(`k${n}`, async () => list(...many));
  const known = async (key: string) => (await lists.of(key, async () => list())).paths.length > 0;
  expect([await known("k69"), await known("k10")]).toEqual([true, true]);
  expect(await known("k0")).toBe(false);
});
