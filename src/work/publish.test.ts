/** The code that runs stores domain events in one place; seeds of tests and benches may write rows of their own. */
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const FOLDERS = ["src", "workflows", "activities", "runner", "drizzle"];
const INSERT = /insert\s+into\s+(public\.)?"?domain_events\b|\.insert\(\s*domainEvents\b/i;

async function sources(folder: string): Promise<string[]> {
  const entries = await readdir(new URL(folder, root), { recursive: true });
  return entries
    .filter((name) => /\.(ts|sql)$/.test(name) && !name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`);
}

test("only publish inserts domain events", async () => {
  const files = (await Promise.all(FOLDERS.map(sources))).flat();
  const inserting = await Promise.all(
    files.map(async (file) => (INSERT.test(await readFile(new URL(file, root), "utf8")) ? [file] : [])),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(inserting.flat()).toEqual(["src/work/publish.ts"]);
});
