import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { BenchContext } from "../harness/bench.ts";
import { startRunner } from "../harness/coordinator.ts";
import type { Product } from "../harness/product.ts";
import type { Stub } from "../harness/stubEngine.ts";
import { deployments } from "./round.ts";

/** A plan and an apply, with a process each. */
const RUNS = 2;

/** How often each program is started for one deployment. One that is not expected here is not found, and fails it. */
export async function programsStarted(
  context: BenchContext,
  product: Product,
  stub: Stub,
): Promise<Record<string, number>> {
  const path = join(context.folder, "counted");
  const calls = join(context.folder, "calls");
  await mkdir(path);
  for (const program of ["git", "mkfifo"]) {
    const script = `#!/bin/sh\necho ${program} >> ${calls}\nPATH=${process.env.PATH} exec ${program} "$@"\n`;
    await writeFile(join(path, program), script, { mode: 0o755 });
  }
  // What starts the coordinator here, on Linux.
  const places = (process.env.PATH ?? "").split(delimiter).map((place) => join(place, "setpriv"));
  const setpriv = places.find((place) => existsSync(place));
  if (setpriv !== undefined) await symlink(setpriv, join(path, "setpriv"));
  const runner = await startRunner(context, product, stub, "counted-runner", { PATH: path });
  await deployments(product, stub, 1);
  await runner.cpuMs();
  const before = (await readFile(stub.callsFile, "utf8")).length;
  await writeFile(calls, "");
  await deployments(product, stub, 1);
  await runner.cpuMs();
  await runner.stop();
  const engine = (await readFile(stub.callsFile, "utf8")).slice(before).trim().split("\n");
  const others = (await readFile(calls, "utf8")).trim().split("\n");
  const counted = Map.groupBy(others, (name) => name);
  const counts = Object.fromEntries([...counted].map(([name, times]) => [name, times.length]));
  return { ...counts, engine: engine.length, node: RUNS };
}
