/**
 * The file that makes the service's state the backend of a configuration. An engine merges its override files in the
 * order of their names, and the last one that names a backend decides: that has to be this one.
 */
import { existsSync } from "node:fs";
import { readdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { RunFailed } from "../service/outcome.ts";

/** `~` comes behind everything that people begin a name with. */
const STEM = "~svc_hosted_state_override";
const OVERRIDE = `${STEM}.tf`;
/** As runners up to 0.4.0 named it: plans of theirs may still wait. */
const EARLIER = "svc_hosted_state_override.tf";
export const STATE_OVERRIDES: readonly string[] = [OVERRIDE, EARLIER];

const CONTENT = `# Written by the runner: the service keeps the state of this stack (its state_mode).
terraform {
  backend "http" {}
}
`;

/** Of either engine, the longer ones first. */
const ENDINGS = [".tofu.json", ".tf.json", ".tofu", ".tf"];

/** @throws RunFailed when the stack has a file by one of the runner's names */
export function refuseOwnNames(cwd: string): void {
  const taken = STATE_OVERRIDES.find((name) => existsSync(path.join(cwd, name)));
  if (taken !== undefined) throw new RunFailed(`The stack's directory has a file of the runner's name, ${taken}.`);
}

/** @throws RunFailed when a file of the stack would take its place */
export async function writeOverride(cwd: string): Promise<void> {
  await refuseLaterOnes(cwd);
  await writeFile(path.join(cwd, OVERRIDE), CONTENT, { flag: "wx", mode: 0o644 });
}

/** Whether the plan that left these files was made on the service's state. @throws RunFailed as `writeOverride` */
export async function hasOverride(cwd: string): Promise<boolean> {
  const [own, earlier] = [path.join(cwd, OVERRIDE), path.join(cwd, EARLIER)];
  if (existsSync(earlier)) await rename(earlier, own);
  if (!existsSync(own)) return false;
  await refuseLaterOnes(cwd);
  return true;
}

/** By their names alone: what a file says can be hidden from whoever is not the engine. */
async function refuseLaterOnes(cwd: string): Promise<void> {
  // A character for each byte, since engines sort names by their bytes.
  const names = await readdir(cwd, "latin1");
  const later = names.filter(takesItsPlace).sort()[0];
  if (later === undefined) return;
  const shown = JSON.stringify(Buffer.from(later, "latin1").toString("utf8"));
  throw new RunFailed(
    `The service keeps the state of this stack, and the override file ${shown} would come after the runner's own: name it otherwise.`,
  );
}

function takesItsPlace(name: string): boolean {
  const ending = ENDINGS.find((each) => name.endsWith(each));
  if (ending === undefined || name === OVERRIDE || name.startsWith(".")) return false;
  const stem = name.slice(0, -ending.length);
  // OpenTofu leaves a `.tf` out when there is a `.tofu` of that name.
  return stem === STEM || (stem.endsWith("_override") && name > OVERRIDE);
}
