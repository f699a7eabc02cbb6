/**
 * A git repository with a small configuration, as a team would have it. Its state lives beside it, so that the demo can
 * read it back.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { create } from "tar";

const run = promisify(execFile);

export type SampleRepository = {
  /** `file://` address of the bare repository. */
  url: string;
  /** Its folder. */
  bare: string;
  /** The file that holds the state. */
  state: string;
  /** Write another file of the working copy; the next commit takes it along. */
  write(file: string, content: string): Promise<void>;
  /**
   * Commit the configuration with these greetings, one resource each, and push it to `branch`.
   * @returns the commit's id.
   */
  commit(message: string, greetings: Record<string, string>, branch?: string): Promise<string>;
  /** The working copy with these greetings, not committed, as a gzipped tar. */
  archive(greetings: Record<string, string>): Promise<Buffer<ArrayBuffer>>;
  /** What the state holds now, by resource name; empty when nothing is deployed. */
  applied(): Promise<Record<string, string>>;
};

/** Make the repository below `folder`. */
export async function sampleRepository(folder: string): Promise<SampleRepository> {
  const [bare, work] = [join(folder, "sample.git"), join(folder, "sample")];
  const state = join(folder, "states", "terraform.tfstate");
  await mkdir(dirname(state), { recursive: true });
  await run("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare]);
  await run("git", ["clone", "--quiet", bare, work]);
  await mkdir(join(work, "greetings"), { recursive: true });
  const git = (...args: string[]) =>
    run("git", ["-C", work, "-c", "user.name=Demo", "-c", "user.email=demo@example.com", ...args]);
  await git("checkout", "--quiet", "-B", "main");
  return {
    url: `file://${bare}`,
    bare,
    state,
    async write(file, content) {
      await mkdir(dirname(join(work, file)), { recursive: true });
      await writeFile(join(work, file), content);
    },
    async commit(message, greetings, branch = "main") {
      await writeFile(join(work, "greetings", "main.tf"), configuration(state, greetings));
      await git("add", "--all");
      await git("commit", "--quiet", "--message", message);
      await git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
      return (await git("rev-parse", "HEAD")).stdout.trim();
    },
    async archive(greetings) {
      await writeFile(join(work, "greetings", "main.tf"), configuration(state, greetings));
      const packed = await create({ cwd: work, gzip: true, portable: true }, ["greetings"]).concat();
      await git("checkout", "--quiet", ".");
      return Buffer.from(packed);
    },
    applied: () => appliedGreetings(state),
  };
}

function configuration(statePath: string, greetings: Record<string, string>): string {
  return `terraform {
  backend "local" {
    path = ${JSON.stringify(statePath)}
  }
}

locals {
  greetings = ${JSON.stringify(greetings)}
}

resource "terraform_data" "greeting" {
  for_each = local.greetings
  input    = each.value

  provisioner "local-exec" {
    command = "echo greeting the $NAME && sleep 1 && echo done"
    environment = { NAME = each.key }
  }
}

output "greetings" {
  value = { for name, greeting in terraform_data.greeting : name => greeting.output }
}
`;
}

type State = { resources?: { instances: { index_key: string; attributes: { output: { value: string } | null } }[] }[] };

async function appliedGreetings(statePath: string): Promise<Record<string, string>> {
  const text = await readFile(statePath, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const state = JSON.parse(text) as State;
  const instances = (state.resources ?? []).flatMap((resource) => resource.instances);
  return Object.fromEntries(instances.map(({ index_key, attributes }) => [index_key, attributes.output?.value ?? ""]));
}
