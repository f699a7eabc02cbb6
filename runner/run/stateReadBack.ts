import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parseLossless } from "../../src/platform/json/losslessJson.ts";
import { showStateArguments } from "../engine/engineArguments.ts";
import { NOWHERE } from "../output/sink.ts";
import { MAX_MEASURED_BYTES } from "../plan/planDocument.ts";
import { sensitiveFormsOfState } from "../plan/stateSensitive.ts";
import type { RunResources, Workspace } from "./workspace.ts";

/** Where an engine puts a state that its backend did not take. */
const UNSAVED = "errored.tfstate";

/** What states say is sensitive, that of the backend and one that it did not take; null when neither can be read. */
export async function sensitiveFormsNow(resources: RunResources, workspace: Workspace): Promise<Buffer[] | null> {
  const files = existsSync(path.join(workspace.cwd, UNSAVED)) ? [undefined, UNSAVED] : [undefined];
  let forms: Buffer[] | null = null;
  for (const file of files) {
    const state = await readState(resources, workspace, file).catch(() => null);
    if (state !== null) forms = [...(forms ?? []), ...sensitiveFormsOfState(state)];
  }
  return forms;
}

/**
 * The engine's JSON of the state as it is now, or of the one in the file `of`; null when it cannot be had.
 * @throws Stopped
 */
export async function readState(
  { directory }: Pick<RunResources, "directory">,
  workspace: Workspace,
  of?: string,
): Promise<object | null> {
  const file = path.join(directory, "state.json");
  // Why it cannot be had is not why the run failed.
  const { code } = await workspace.run(showStateArguments(of), { stdout: { file }, stderr: NOWHERE });
  if (code !== 0 || (await stat(file)).size > MAX_MEASURED_BYTES) return null;
  const state: unknown = parseLossless(await readFile(file, "utf8"));
  return typeof state === "object" ? state : null;
}
