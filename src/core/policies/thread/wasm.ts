/** A compiled policy in its own memory. Runs in the thread only. */
import { failed, type Said } from "../result.ts";
import { loadCompiled } from "./compiled.ts";
import { saidOf } from "./document.ts";

/** @param input JSON */
export async function evaluateWasm(
  { wasm, entrypoint }: { wasm: Uint8Array; entrypoint: string },
  input: ArrayBuffer,
): Promise<Said> {
  const policy = await loadCompiled(wasm);
  const answer = policy.evaluate(input, entrypoint);
  const result = Array.isArray(answer) ? (answer[0] as { result?: unknown } | undefined)?.result : undefined;
  if (result === undefined) return failed("It gave no answer.");
  return saidOf(result);
}
