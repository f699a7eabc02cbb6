/** Bundles the console into a folder: hashed files, each also compressed beforehand, and a manifest of them. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "vite";

/** Those that know `light-dark()`; the style sheets are left as they are written. */
const BROWSERS = ["chrome123", "firefox120", "safari17.5"];

/** @param root the folder `console` */
export async function bundleConsole(root: string, outDir: string, hash: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    // Whoever serves it may do so below a path of its own.
    base: "./",
    build: {
      outDir,
      emptyOutDir: true,
      target: BROWSERS,
      cssTarget: BROWSERS,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // Libraries say which of their parts are for a browser; all of this is.
        onwarn: (warning, tell) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && tell(warning),
        output: { codeSplitting: { groups: [{ name: "parts", test: isPart }] } },
      },
    },
    worker: { format: "es" },
  });
  const assets = await readdir(join(outDir, "assets"));
  await Promise.all(assets.map((name) => compress(join(outDir, "assets", name))));
  await writeFile(join(outDir, "manifest.json"), JSON.stringify({ hash, assets }));
}

/** What nearly every page needs comes with the first one, instead of in thirty small files. */
function isPart(id: string): boolean {
  return /\/console\/src\/(?:ui|data)\//.test(id) && !/\/(?:LongList|WindowList|worker)\.|\/stackForm\//.test(id);
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}
