/** The built console as files: what `npm start` and the image's build stage have made of `console/`. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the build puts it. */
const BUILT = fileURLToPath(new URL("../../../console/dist", import.meta.url));

export const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

export type ConsoleBundle = {
  /** The page with its files named relative to the service's root. */
  index: string;
  etag: string;
  /** A file of the build, ready to be sent; null for a name that this build does not have. */
  asset(name: string, encoding: Encoding | null): Promise<{ body: Uint8Array<ArrayBuffer>; type: string } | null>;
};

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

type Manifest = { assets: string[] };

/** @returns null where none was built */
export async function openConsole(folder = BUILT): Promise<ConsoleBundle | null> {
  const manifest = await readFile(join(folder, "manifest.json"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (manifest === null) return null;
  const index = await readFile(join(folder, "index.html"), "utf8");
  // Read whole and at once: what is built anew meanwhile must not mix with this page.
  const assets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  for (const name of (JSON.parse(manifest) as Manifest).assets) {
    for (const suffix of ["", ".br", ".gz"]) {
      const file = readFile(join(folder, "assets", `${name}${suffix}`)).then((bytes) => new Uint8Array(bytes));
      file.catch(() => {});
      assets.set(`${name}${suffix}`, file);
    }
  }
  await Promise.all(assets.values());
  return {
    index,
    etag: createHash("sha256").update(index).digest("base64url").slice(0, 22),
    async asset(name, encoding) {
      const type = TYPES[name.split(".").at(-1) ?? ""];
      const body = await assets.get(encoding === null ? name : `${name}.${encoding === "br" ? "br" : "gz"}`);
      return body === undefined || type === undefined ? null : { body, type };
    },
  };
}
