/** Loads a compiled policy into a memory of its own. Runs in the thread only: it is a stranger's code. */
import { loadPolicy } from "@open-policy-agent/opa-wasm";

/** As much of it as is used: the library's own types are a browser's. */
export type Compiled = {
  evaluate(input: unknown, entrypoint: string): unknown;
  entrypoints: Record<string, number>;
  mem: { buffer: ArrayBuffer };
  wasmInstance: { exports: { builtins(): number; opa_json_dump(address: number): number } };
};

/** Pages of 64 KiB: what one policy may use while it is evaluated. */
const MEMORY = { initial: 32, maximum: 6_144 };

type Load = (wasm: Uint8Array, memory: typeof MEMORY) => Promise<Compiled>;

/** @throws whatever the module throws */
export const loadCompiled = (wasm: Uint8Array): Promise<Compiled> => (loadPolicy as unknown as Load)(wasm, MEMORY);
