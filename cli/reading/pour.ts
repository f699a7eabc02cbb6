/** Text of any size on its way to stdout, as it comes: what is large is never held whole. */
import { errorOf } from "../../clients/api/problem.ts";
import type { Service } from "../service/session.ts";
import { isUnreachable } from "../service/unreachable.ts";
import { Cleaner, cleaned } from "../terminal/clean.ts";
import type { Screen } from "../terminal/screen.ts";

const ATTEMPTS = 10;

/** A connection that breaks is opened again, and goes on at the same byte. @throws ApiError */
export async function pour(screen: Screen, service: Pick<Service, "fetch">, path: string): Promise<void> {
  const clean = new Cleaner(screen.terminal.color.out);
  const decoder = new TextDecoder();
  let taken = 0;
  for (let attempt = 1; ; attempt++) {
    const response = await service.fetch(path, { headers: taken === 0 ? {} : { range: `bytes=${taken}-` } });
    // It broke off at its last byte.
    if (taken > 0 && response.status === 416) break;
    if (!response.ok) throw await errorOf(response);
    try {
      for await (const bytes of whatIsNew(response, taken)) {
        taken += bytes.length;
        await write(clean.take(decoder.decode(bytes, { stream: true })));
      }
      break;
    } catch (error) {
      if (attempt === ATTEMPTS || !isUnreachable(error)) throw error;
      screen.trouble("log", "The connection is lost; it is opened again, and goes on there.");
    }
  }
  await write(cleaned(decoder.decode()));
}

/** Whoever does not know ranges sends all of it again. */
async function* whatIsNew({ status, body }: Response, taken: number): AsyncGenerator<Uint8Array, void> {
  let known = status === 206 ? 0 : taken;
  for await (const bytes of body ?? []) {
    if (known < bytes.length) yield bytes.subarray(known);
    known = Math.max(0, known - bytes.length);
  }
}

async function write(text: string): Promise<void> {
  if (text === "" || process.stdout.write(text)) return;
  await new Promise<void>((resolve) => process.stdout.once("drain", () => resolve()));
}
