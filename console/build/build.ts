/**
 * `node console/build/build.ts`: makes the files that the service serves, unless they have been made of the same
 * sources. Two at once each make their own, and the last one stays.
 */
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hashOfSources } from "./sources.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const DIST = join(ROOT, "console/dist");

const hash = await hashOfSources(ROOT);
if ((await builtHash()) !== hash) {
  // Whoever starts this, a test too, gets what people get.
  process.env.NODE_ENV = "production";
  // Loaded only now: most starts find what they need.
  const { bundleConsole } = await import("./bundle.ts");
  const parent = join(ROOT, "console/.building");
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "dist-"));
  await bundleConsole(join(ROOT, "console"), folder, hash);
  await replaceBy(folder);
  await rm(folder, { recursive: true, force: true });
}

async function builtHash(): Promise<string | null> {
  try {
    return JSON.parse(await readFile(join(DIST, "manifest.json"), "utf8")).hash;
  } catch {
    return null;
  }
}

async function replaceBy(folder: string): Promise<void> {
  const old = `${folder}-old`;
  await rename(DIST, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  try {
    await rename(folder, DIST);
  } catch (error) {
    // A twin has put its own there in between.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  await rm(old, { recursive: true, force: true });
}
