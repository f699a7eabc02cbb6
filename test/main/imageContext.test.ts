/** What must never get into an image is kept out of what an image is built from. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("files of settings are left out, in whatever folder they lie", async () => {
  const lines = (await readFile(new URL("../../.dockerignore", import.meta.url), "utf8")).split("\n");
  expect(lines).toEqual(expect.arrayContaining([".env*", "**/.env*", ".data", ".git"]));
});
