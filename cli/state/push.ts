/** `deploy state push`: a state out of a file or from stdin, under the lock that it takes for it. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type Action, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { Screen } from "../terminal/screen.ts";
import { privateFolder } from "../transfer/privateFolder.ts";
import { sendFile } from "../transfer/sendFile.ts";
import { statePath, takeLock } from "./lock.ts";
import { presentVersion, required } from "./versions.ts";

type State = { file: string; size: number; md5: string; remove(): Promise<void> };

export const push: Action<{ input?: string }> = async (context, named) => {
  const { options, screen } = context;
  const input = required(options.input, "Which state? --input FILE, or - for stdin");
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, named ?? options.stack);
  const state = await (input === "-" ? spooled(process.stdin) : measured(input));
  try {
    await pushed(session, screen, stackId, state);
  } finally {
    await state.remove();
  }
  const version = await presentVersion(session, stackId);
  screen.value(version);
  screen.note(`Version ${version.number} is the state of ${stackId}, serial ${version.serial}.`);
  return EXIT.done;
};

/** The lock is given back however it ends, also when somebody interrupts it. */
async function pushed(session: Session, screen: Screen, stackId: string, { file, size, md5 }: State): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(interrupted);
  for (const name of SIGNALS) process.on(name, interrupt);
  try {
    const lock = await takeLock(session, stackId, "state push");
    try {
      interruption.signal.throwIfAborted();
      const headers = { "content-type": "application/json", "content-md5": md5 };
      const path = `${statePath(session, stackId)}?ID=${lock.id}`;
      await sendFile(session, screen, { path, file, size, headers, signal: interruption.signal });
    } finally {
      // It says so by itself: what came of the push is told besides.
      await lock.release().catch((error: Error) => screen.error(`The lock could not be given back: ${error.message}`));
    }
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const interrupted = Failure.of(
  EXIT.interrupted,
  "Interrupted.",
  "Whether it was stored already: deploy state versions",
);

/** @throws Failure: usage */
async function measured(file: string): Promise<State> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw usage(`${file} is no file.`);
  const hash = createHash("md5");
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return { file, size: found.size, md5: hash.digest("base64"), remove: async () => {} };
}

/** What comes on stdin is sent with its length and digest too, and can be sent again, so it lies in a private file. */
async function spooled(stdin: NodeJS.ReadableStream): Promise<State> {
  const folder = await privateFolder();
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, "state");
    await pipeline(stdin, createWriteStream(file, { mode: 0o600 }));
    return { ...(await measured(file)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
