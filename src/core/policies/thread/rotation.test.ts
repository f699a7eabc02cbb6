import { expect, it } from "vitest";
import { Rotation } from "./rotation.ts";

function world(places: number) {
  const rotation = new Rotation(places);
  const begun: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const ask = (key: string, name: string) =>
    rotation.run(key, () => {
      begun.push(name);
      return new Promise<void>((resolve, reject) => ends.set(name, { resolve, reject }));
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { begun, ends, ask, settled };
}

it("lets one of each key in, and the keys in turn", async () => {
  const { begun, ends, ask, settled } = world(2);
  for (const name of ["a1", "a2", "a3"]) void ask("a", name);
  for (const name of ["b1", "b2", "c1"]) void ask(name[0] as string, name);
  await settled();
  expect(begun).toEqual(["a1", "b1"]);
  ends.get("b1")?.resolve();
  await settled();
  expect(begun).toEqual(["a1", "b1", "c1"]);
  ends.get("a1")?.resolve();
  await settled();
  expect(begun).toEqual(["a1", "b1", "c1", "b2"]);
  for (const name of ["c1", "b2"]) ends.get(name)?.resolve();
  await settled();
  expect(begun).toEqual(["a1", "b1", "c1", "b2", "a2"]);
});

it("gives a place back when the work fails", async () => {
  const { begun, ends, ask, settled } = world(1);
  const first = ask("a", "a1");
  void ask("a", "a2");
  await settled();
  ends.get("a1")?.reject(new Error("no"));
  await expect(first).rejects.toThrow("no");
  await settled();
  expect(begun).toEqual(["a1", "a2"]);
});
