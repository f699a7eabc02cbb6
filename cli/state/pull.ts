/** `deploy state pull`: a state to stdout or to a file as it comes, and whole only when its digest is right. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type Action, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { StateVersion } from "../service/types.ts";
import { presentVersion, versionOf } from "./versions.ts";

const AGAIN = "Pull it once more";

export type PullOptions = { at?: string; output?: string };

export const pull: Action<PullOptions> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, named ?? options.stack);
  const { at } = options;
  const version = await (at === undefined ? presentVersion(session, stackId) : versionOf(session, stackId, at));
  if (options.output === undefined) {
    // It is JSON by itself, so it is the one object of --json too.
    await pour(session, stackId, version, process.stdout, { end: false });
    return EXIT.done;
  }
  await toFile(session, stackId, version, options.output);
  screen.value({ ...version, output: options.output });
  const { number, serial } = version;
  screen.note(`Version ${number} of the state of ${stackId}, serial ${serial}, is in ${options.output}.`);
  return EXIT.done;
};

/** There is no file before it is whole. A state holds secrets, so it is its person's alone. */
async function toFile(session: Session, stackId: string, version: StateVersion, file: string): Promise<void> {
  const partial = `${file}.${crypto.randomUUID().slice(0, 8)}.partial`;
  try {
    await pour(session, stackId, version, createWriteStream(partial, { mode: 0o600, flags: "wx" }), { end: true });
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}

/** @throws Failure when what arrived is not what was stored */
async function pour(
  { api, orgId }: Session,
  stackId: string,
  { id, sha256, number }: StateVersion,
  to: NodeJS.WritableStream,
  { end }: { end: boolean },
): Promise<void> {
  const path = { org_id: orgId, stack_id: stackId, version_id: id };
  const { response } = await api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}/body", {
    params: { path },
    parseAs: "stream",
  });
  const hash = createHash("sha256");
  async function* hashed(pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of orBroken(pieces)) {
      hash.update(piece);
      yield piece;
    }
  }
  await pipeline((response.body ?? []) as AsyncIterable<Uint8Array>, hashed, to, { end });
  if (hash.digest("hex") !== sha256) {
    throw Failure.of(EXIT.failed, `What arrived is not version ${number} as it was stored.`, AGAIN);
  }
}

async function* orBroken(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* pieces;
  } catch (error) {
    throw Failure.of(EXIT.failed, `The download broke off: ${(error as Error).message}`, AGAIN);
  }
}
