import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { digestOf, sha256 } from "./digest.ts";

/** The repository's root. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The ephemeral runner's own source. */
export const SOURCE = path.join(ROOT, "runner/ephemeral.ts");
/** Has a file of its own, since most runners never load it. It shares no state with the rest. */
const TELEMETRY = path.join(ROOT, "runner/run/telemetry.ts");
/** What decides how the sources are bundled, and which packages they find. */
const RULES = ["runner/program/bundle.ts", "tsconfig.json", "package-lock.json"];

export interface Bundle {
  /** By their names: `ephemeral.cjs` is the program. Each has a map beside it. */
  files: Record<string, string>;
  /** What they were made from, below the root, each with SHA-256 of what was read. */
  inputs: Record<string, string>;
}

/**
 * The ephemeral runner in a file of plain JavaScript, which takes a small part of the CPU time to load. It is CommonJS:
 * an `import` of `node:http` looks at everything the module offers, and so loads the whole of `fetch`. Names and lines
 * stay as they are, for the sake of whoever reads what Node prints of an error.
 */
export async function bundleEphemeral(): Promise<Bundle> {
  const { build, stop } = await import("esbuild");
  const inputs = Object.fromEntries(
    await Promise.all(RULES.map(async (file) => [file, await digestOf(path.join(ROOT, file))])),
  );
  try {
    const { outputFiles } = await build({
      entryPoints: [SOURCE, TELEMETRY],
      absWorkingDir: ROOT,
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node24",
      legalComments: "none",
      sourcemap: "external",
      sourcesContent: false,
      plugins: [telemetryApart, noteInputs(inputs)],
      outdir: ROOT,
      entryNames: "[name]",
      outExtension: { ".js": ".cjs" },
      write: false,
      logLevel: "silent",
    });
    const files = Object.fromEntries(outputFiles.map(({ path: file, text }) => [path.basename(file), text]));
    return { files, inputs };
  } finally {
    // Else its process stays for as long as this one.
    await stop();
  }
}

const telemetryApart: Plugin = {
  name: "telemetry apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/telemetry[.]ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./telemetry.cjs", external: true } : undefined,
    );
  },
};

/** Digests of just what goes in: a source may change while the bundle is made. */
function noteInputs(inputs: Record<string, string>): Plugin {
  return {
    name: "note inputs",
    setup({ onLoad }) {
      onLoad({ filter: /./, namespace: "file" }, async ({ path: file }) => {
        const contents = await readFile(file);
        inputs[path.relative(ROOT, file)] = sha256(contents);
        return { contents, loader: "default" };
      });
    },
  };
}
