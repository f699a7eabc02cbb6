/** What a compiled policy asks of its surroundings. Runs in the thread only: it is a stranger's code. */
import { type Compiled, loadCompiled } from "./compiled.ts";

/** What the surroundings add to what WebAssembly can do by itself. */
const SUPPORTED: readonly string[] = [
  "sprintf",
  "regex.split",
  "json.is_valid",
  "yaml.is_valid",
  "yaml.marshal",
  "yaml.unmarshal",
];

/** The rules' place where Rego is compiled by the service. */
export const ENTRYPOINT = "deploy";

export type Inspected = { entrypoint: string } | { problem: string };

export async function inspect(wasm: Uint8Array): Promise<Inspected> {
  let policy: Compiled;
  try {
    policy = await loadCompiled(wasm);
  } catch {
    return { problem: "holds no policy that was compiled for WebAssembly" };
  }
  const { wasmInstance, mem, entrypoints } = policy;
  const { builtins, opa_json_dump } = wasmInstance.exports;
  const needed = Object.keys(JSON.parse(textAt(mem, opa_json_dump(builtins()))) as object);
  const refused = needed.filter((name) => !SUPPORTED.includes(name)).sort();
  if (refused.length > 0) return { problem: `uses what a policy cannot have here: ${refused.slice(0, 20).join(", ")}` };
  const names = Object.keys(entrypoints);
  if (names.includes(ENTRYPOINT)) return { entrypoint: ENTRYPOINT };
  if (names.length === 1 && names[0] !== undefined) return { entrypoint: names[0] };
  return { problem: `has no entrypoint \`${ENTRYPOINT}\`, and not one alone` };
}

function textAt({ buffer }: Compiled["mem"], address: number): string {
  const bytes = new Uint8Array(buffer);
  const end = bytes.indexOf(0, address);
  return new TextDecoder().decode(bytes.subarray(address, end));
}
