import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parseLossless } from "../../src/platform/json/losslessJson.ts";
import { showStateArguments } from "../engine/engineArguments.ts";
import { MAX_MEASURED_BYTES } from "../plan/planDocument.ts";
import type { RunResources, Workspace } from "./workspace.ts";

/** The engine's JSON of the state as it is now, or null when it cannot be had. @throws Stopped */
export async function readState({ directory }: RunResources, workspace: Workspace): Promise<object | null> {
  const file = path.join(directory, "state.json");
  const { code } = await workspace.run(showStateArguments(), { stdout: { file } });
  if (code !== 0 || (await stat(file)).size > MAX_MEASURED_BYTES) return null;
  const state: unknown = parseLossless(await readFile(file, "utf8"));
  return typeof state === "object" ? state : null;
}
