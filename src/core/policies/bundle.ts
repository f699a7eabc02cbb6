/** A bundle as `opa build -t wasm` writes it: a gzipped tar with `policy.wasm`. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Parser } from "tar";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { inspectPolicy } from "./thread/evaluate.ts";
import { unboundedPart } from "./wasmSections.ts";

/** Of what is uploaded, source or bundle. */
export const MAX_POLICY_BYTES = 1_048_576;
const MAX_UNPACKED_BYTES = 16 * 1_048_576;

const inflate = promisify(gunzip);

function refuse(message: string): InvalidValueError {
  return new InvalidValueError([{ field: "body", message }]);
}

/** The compiled policy of a bundle, once it is known to be one that can be evaluated here. @throws InvalidValueError */
export async function policyOf(bundle: Buffer): Promise<{ wasm: Buffer; entrypoint: string }> {
  const files = await filesOf(bundle);
  const wasm = files.get("policy.wasm");
  if (wasm === undefined) throw refuse("holds no policy.wasm: build it with `opa build -t wasm`");
  const data = files.get("data.json")?.toString("utf8").trim() ?? "{}";
  if (data !== "{}") throw refuse("holds data besides the policy: write them in the policy itself");
  const part = unboundedPart(wasm);
  if (part !== null) throw refuse(`holds a policy with ${part}: build it with \`opa build -t wasm\``);
  const inspected = await inspectPolicy(wasm);
  if ("problem" in inspected) throw refuse(inspected.problem);
  return { wasm, entrypoint: inspected.entrypoint };
}

async function filesOf(bundle: Buffer): Promise<Map<string, Buffer>> {
  const unpacked = await inflate(bundle, { maxOutputLength: MAX_UNPACKED_BYTES }).catch(() => {
    throw refuse(`is not a gzipped tar file of at most ${MAX_UNPACKED_BYTES} bytes when unpacked`);
  });
  const files = new Map<string, Buffer>();
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      strict: true,
      onReadEntry(entry) {
        const parts: Buffer[] = [];
        entry.on("data", (part) => parts.push(Buffer.from(part)));
        entry.on("end", () => files.set(entry.path.replace(/^(?:\.?\/)+/, ""), Buffer.concat(parts)));
      },
    });
    parser.on("end", resolve);
    parser.on("error", () => reject(refuse("is not a gzipped tar file")));
    parser.end(unpacked);
  });
  return files;
}
