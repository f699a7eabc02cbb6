import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scanConfiguration } from "./configurationFiles.ts";

const stack = { id: "web", name: "Web", labels: {} };
const declares = (id: string) => `# svc:dependency: from_stack=${id}\n`;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "analysis-"));
});
afterEach(() => rm(directory, { recursive: true }));

const write = (name: string, content: string | Buffer) => writeFile(path.join(directory, name), content);
async function found(tool: "terraform" | "tofu" = "terraform") {
  const { scanner, unknown } = await scanConfiguration(directory, tool, stack);
  return scanner === null
    ? unknown
    : scanner.edges.map(({ from_stack, file, line }) => `${from_stack} ${file}:${line}`);
}

test("only the engine's own files in the directory itself are read, in the order of their names", async () => {
  await write("b.tf", declares("b"));
  await write("a.tf", `\r\n${declares("a").replace("\n", "\r\n")}x = 1\r\n`);
  await write("same.tf", declares("overridden"));
  await write("same.tofu", declares("tofu"));
  await write("values.tfvars", declares("values"));
  await write("c.tf.json", declares("json"));
  await write(".hidden.tf", declares("hidden"));
  await write("README.md", declares("readme"));
  await mkdir(path.join(directory, "modules.tf"));
  await mkdir(path.join(directory, "module"));
  await write("module/d.tf", declares("module"));
  expect(await found()).toEqual(["a a.tf:2", "b b.tf:1", "overridden same.tf:1"]);
  expect(await found("tofu")).toEqual(["a a.tf:2", "b b.tf:1", "tofu same.tofu:1"]);
});

test("no files and no comments are known to declare nothing", async () => {
  expect(await found()).toEqual([]);
});

test("lines are whole wherever the reader cut the file, a byte order mark is none of them, bytes that are no text harm nobody", async () => {
  await write("a.tf", Buffer.concat([Buffer.from(`\uFEFF${declares("first")}`), Buffer.from([0xff, 0xfe, 0x0a])]));
  // 64 KiB are read at once.
  await write(
    "b.tf",
    `${"x".repeat(65_530)}\n${declares("second")}${"y".repeat(1_048_576)}\n${declares("third").trim()}`,
  );
  expect(await found()).toEqual(["first a.tf:1", "second b.tf:2", "third b.tf:4"]);
});

test("a line over a mebibyte, a file that cannot be read or too many comments make all of it unknown", async () => {
  await write("a.tf", declares("net"));
  await write("b.tf", `${"x".repeat(1_048_577)}\n`);
  expect(await found()).toBe('"b.tf" has a line of more than 1048576 bytes');
  await rm(path.join(directory, "b.tf"));
  await symlink("nowhere", path.join(directory, "c.tf"));
  expect(await found()).toBe('"c.tf" cannot be read (ENOENT)');
  await rm(path.join(directory, "c.tf"));
  await write("d.tf", declares("net").repeat(10_000));
  expect(await found()).toBe("more than 10000 comments");
  await rm(directory, { recursive: true });
  expect(await found()).toBe("the directory cannot be read (ENOENT)");
  await mkdir(directory);
});
