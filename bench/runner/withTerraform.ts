/** The same with Terraform itself, where there is one: what of a deployment's time is not the engine's. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { BenchContext } from "../harness/bench.ts";
import { startRunner } from "../harness/coordinator.ts";
import { measuredScript } from "../harness/measuredScript.ts";
import type { Product } from "../harness/product.ts";
import { median } from "../harness/statistics.ts";
import type { Stub } from "../harness/stubEngine.ts";
import { deployments } from "./round.ts";

const DEPLOYMENTS = 5;

export type Shares = { plan_ms: number; apply_ms: number; engine_ms: number; own_share: number };

export async function withTerraform(context: BenchContext, product: Product, stub: Stub): Promise<Shares | null> {
  const engine = onPath("terraform");
  if (engine === null) return null;
  const runner = await startRunner(context, product, { ...stub, engine }, "terraform-runner");
  await deployments(product, stub, 1);
  const script = byHand(engine, stub, join(context.folder, "by-hand"));
  const [walls, timed] = [[] as number[], [] as { plan: number; apply: number }[]];
  // By turns, so that whatever else the machine does meets both alike.
  for (let i = 0; i < DEPLOYMENTS; i++) {
    walls.push((await measuredScript(script)).wallMs);
    timed.push(...(await deployments(product, stub, 1)));
  }
  await runner.stop();
  const plan_ms = median(timed.map(({ plan }) => plan));
  const apply_ms = median(timed.map(({ apply }) => apply));
  const engine_ms = median(walls);
  return { plan_ms, apply_ms, engine_ms, own_share: 1 - engine_ms / (plan_ms + apply_ms) };
}

/** The engine's calls of one plan and one apply, in two directories as two clones are. */
function byHand(engine: string, { repository: { url } }: Stub, folder: string): string {
  const [planning, applying] = [join(folder, "plan"), join(folder, "apply")];
  const plan = join(folder, "plan.bin");
  const files = url.replace("file://", "");
  return `export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0 TF_CLI_CONFIG_FILE=/dev/null
rm -rf ${folder}; mkdir -p ${planning} ${applying}; cp ${files}/main.tf ${planning}; cp ${files}/main.tf ${applying}
cd ${planning}
${engine} init -input=false -no-color
${engine} plan -input=false -no-color -lock=false -detailed-exitcode -out=${plan} || [ $? -eq 2 ]
${engine} show -json ${plan}
${engine} show -no-color ${plan}
cd ${applying}
${engine} init -input=false -no-color
${engine} show -json ${plan}
${engine} apply -input=false -no-color -lock-timeout=30s ${plan}
${engine} show -json`;
}

export function onPath(program: string): string | null {
  for (const place of (process.env.PATH ?? "").split(delimiter)) {
    const file = join(place, program);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not there.
    }
  }
  return null;
}
