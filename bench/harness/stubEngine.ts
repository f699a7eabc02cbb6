/** An engine that answers at once as Terraform does, so that what is measured is what stands around it. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const PLAN = {
  format_version: "1.2",
  terraform_version: "1.11.4",
  resource_changes: [
    {
      address: "terraform_data.thing",
      mode: "managed",
      type: "terraform_data",
      name: "thing",
      provider_name: "terraform.io/builtin/terraform",
      change: { actions: ["create"], before: null, after: { input: "x" }, after_unknown: { id: true } },
    },
  ],
};
const STATE = { format_version: "1.0", terraform_version: "1.11.4", values: { root_module: {} } };

export type Stub = {
  engine: string;
  /** Each call's first word, a line each. */
  callsFile: string;
  repository: { url: string; commit: string };
};

/** The engine, and a repository with a stack for it. */
export async function writeStub(folder: string): Promise<Stub> {
  const engine = join(folder, "terraform");
  const callsFile = join(folder, "engine-calls");
  await writeFile(engine, script(callsFile), { mode: 0o755 });
  return { engine, callsFile, repository: await repository(join(folder, "repository")) };
}

/** All in the shell itself: it starts no further program. */
function script(callsFile: string): string {
  return `#!/bin/sh
echo "$1" >> ${callsFile}
case "$1" in
version) echo "Terraform v1.11.4" ;;
init) echo "Terraform has been successfully initialized!" ;;
plan)
  for argument; do case "$argument" in -out=*) echo plan > "\${argument#-out=}" ;; esac; done
  echo "Plan: 1 to add, 0 to change, 0 to destroy."
  exit 2 ;;
show)
  case "$2$3" in
  -json) echo '${JSON.stringify(STATE)}' ;;
  -json*) echo '${JSON.stringify(PLAN)}' ;;
  *) echo "terraform_data.thing will be created" ;;
  esac ;;
apply) echo "Apply complete! Resources: 1 added, 0 changed, 0 destroyed." ;;
esac
`;
}

async function repository(folder: string): Promise<Stub["repository"]> {
  await mkdir(folder);
  await writeFile(
    join(folder, "main.tf"),
    'terraform {\n  backend "local" {}\n}\nresource "terraform_data" "thing" {}\n',
  );
  const as = ["-c", "user.name=Bench", "-c", "user.email=bench@example.test"];
  const git = (...args: string[]) => execFileSync("git", [...as, ...args], { cwd: folder, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=first");
  return { url: `file://${folder}`, commit: git("rev-parse", "HEAD") };
}

/** The engine's calls of one plan and one apply, for a shell. */
export function engineByHand({ engine }: Stub, folder: string): string {
  const plan = join(folder, "plan-by-hand");
  const calls = ["version", "init", `plan -out=${plan} || [ $? -eq 2 ]`, `show -json ${plan}`, `show ${plan}`];
  calls.push("version", "init", `show -json ${plan}`, "apply", "show -json");
  return calls.map((call) => `${engine} ${call}`).join("\n");
}

/** The one clone of a plan and its apply, which works on what the plan left, for a shell. */
export function cloneByHand({ repository: { url, commit } }: Stub, folder: string): string {
  const into = join(folder, "clone-by-hand");
  return `rm -rf ${into}; mkdir ${into}; cd ${into}
git init --quiet; git fetch --quiet --no-tags --depth 1 -- ${url} ${commit}; git checkout --quiet --detach ${commit}`;
}
