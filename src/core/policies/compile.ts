/** Rego into WebAssembly, by the `opa` that the operator has installed. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { policyOf } from "./bundle.ts";
import { printable } from "./printable.ts";
import { ENTRYPOINT } from "./thread/inspect.ts";
import { Rotation } from "./thread/rotation.ts";

const TIMEOUT_MS = 20_000;
const LONGEST_MESSAGE = 2_000;

const run = promisify(execFile);

/** Compilers at once in this process, and one of an organization. */
const rotation = new Rotation(2);

class NoCompilerError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "conflict",
      detail:
        "Rego cannot be compiled here: the operator has not installed `opa` (SVC_OPA). Build a bundle with `opa build -t wasm -e deploy` and upload that.",
    });
  }
}

/**
 * The compiled policy of a source in Rego v1 whose package is `deploy`. It is only compiled, never evaluated, by `opa`.
 * @throws NoCompilerError, InvalidValueError with what the compiler says
 */
export async function compileRego(
  opa: string,
  orgId: string,
  source: string,
): Promise<{ wasm: Buffer; entrypoint: string }> {
  // The compiler would fetch it, from wherever it is, past the service's own way out.
  if (/\$ref/.test(source))
    throw new InvalidValueError([{ field: "body", message: "must not refer to schemas elsewhere (`$ref`)" }]);
  const folder = await mkdtemp(join(tmpdir(), "policy-"));
  try {
    await writeFile(join(folder, "policy.rego"), source);
    await rotation.run(orgId, () => build(opa, folder));
    return await policyOf(await readFile(join(folder, "bundle.tar.gz")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function build(opa: string, folder: string): Promise<void> {
  const args = ["build", "-t", "wasm", "-e", ENTRYPOINT, "-o", "bundle.tar.gz", "policy.rego"];
  const options = {
    cwd: folder,
    timeout: TIMEOUT_MS,
    maxBuffer: 1_048_576,
    env: { HOME: folder, PATH: process.env.PATH },
  };
  try {
    await run(opa, args, options);
  } catch (error) {
    const { code, stderr, killed } = error as { code?: unknown; stderr?: string; killed?: boolean };
    if (code === "ENOENT" || code === "EACCES") throw new NoCompilerError();
    const message = killed ? "the compiler took too long" : said(stderr ?? "");
    throw new InvalidValueError([{ field: "body", message }]);
  }
}

/** Of the author's own source, so they may read it. */
function said(stderr: string): string {
  return printable(stderr, LONGEST_MESSAGE) || "cannot be compiled";
}
