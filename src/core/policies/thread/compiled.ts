/** Loads a compiled policy into a memory of its own. Runs in the thread only: it is a stranger's code. */
import { createRequire } from "node:module";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { assertWithin, type Builtins, bounded } from "./bounds.ts";

/** As much of it as is used: the library's own types are a browser's. */
export type Compiled = {
  evaluate(input: unknown, entrypoint: string): unknown;
  entrypoints: Record<string, number>;
  mem: { buffer: ArrayBuffer };
  wasmInstance: { exports: { builtins(): number; opa_json_dump(address: number): number } };
};

/** Pages of 64 KiB: what one policy may use while it is evaluated. */
const MEMORY = { initial: 32, maximum: 6_144 };

// The library takes no others than its own, which it reads at each call; and it decodes whatever a policy says.
const ofLibrary = createRequire(import.meta.resolve("@open-policy-agent/opa-wasm"));
const builtins = ofLibrary("./builtins/index") as Builtins;
Object.assign(builtins, bounded(builtins));
globalThis.TextDecoder = class extends TextDecoder {
  override decode(input?: ArrayBuffer | NodeJS.ArrayBufferView | null, options?: { stream?: boolean }): string {
    assertWithin(input?.byteLength ?? 0);
    return super.decode(input, options);
  }
};

type Load = (wasm: Uint8Array, memory: typeof MEMORY) => Promise<Compiled>;

/** @throws whatever the module throws */
export const loadCompiled = (wasm: Uint8Array): Promise<Compiled> => (loadPolicy as unknown as Load)(wasm, MEMORY);
