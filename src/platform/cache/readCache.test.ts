import { expect, it } from "vitest";
import { readCache } from "./readCache.ts";

it("reads a key once for all who ask at the same time, and keeps it", async () => {
  const read: string[] = [];
  const cache = readCache(
    async (key: string, length: number) => {
      read.push(key);
      return key.slice(0, length);
    },
    { max: 2 },
  );
  const asked = ["first", "first", "second"].map((key) => cache.forceFetch(key, { context: 3 }));
  expect(await Promise.all(asked)).toEqual(["fir", "fir", "sec"]);
  expect(await cache.forceFetch("first", { context: 1 })).toBe("fir");
  expect(read).toEqual(["first", "second"]);
});

it("answers who waits for a read that others push out, and then reads anew", async () => {
  const reads = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const left = reads.map(({ promise }) => promise);
  const cache = readCache((_key: string) => left.shift() ?? Promise.resolve("third"), { max: 1 });
  const pushedOut = cache.forceFetch("a");
  const kept = cache.forceFetch("b");
  reads[0]?.resolve("first");
  reads[1]?.resolve("second");
  expect(await Promise.all([pushedOut, kept, cache.forceFetch("b")])).toEqual(["first", "second", "second"]);
  expect(await cache.forceFetch("a")).toBe("third");
});

it("tells all who wait of a failure, and forgets it", async () => {
  const answers = [Promise.reject(new Error("away")), Promise.resolve("there")];
  const cache = readCache((_key: string) => answers.shift() as Promise<string>, { max: 1 });
  const asked = [cache.forceFetch("a"), cache.forceFetch("a")];
  for (const failed of asked) await expect(failed).rejects.toThrow("away");
  expect(await cache.forceFetch("a")).toBe("there");
});
