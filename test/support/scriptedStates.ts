/** States as the service keeps them for runs, as far as an engine sees them (docs/state.md). */
import type { IncomingMessage } from "node:http";
import type { RunContext } from "../../src/core/runs/protocol.ts";

type Stateful = { context: Pick<RunContext, "stack" | "state"> };

export class ScriptedStates {
  /** By stack. */
  readonly bodies = new Map<string, Buffer>();
  readonly #locks = new Map<string, string>();

  /** Status and body. */
  answer(
    run: Stateful | undefined,
    { method, headers }: IncomingMessage,
    url: URL,
    body: Buffer,
  ): [number, Buffer | undefined] | [number] {
    const token = run?.context.state?.token;
    const expected = `Basic ${Buffer.from(`run:${token}`).toString("base64")}`;
    if (run === undefined || !token || headers.authorization !== expected) return [401];
    const { id } = run.context.stack;
    const held = this.#locks.get(id);
    if (url.pathname.endsWith("/lock")) {
      if (method === "PUT" && held !== undefined) return [423, Buffer.from(held)];
      if (method === "PUT") this.#locks.set(id, body.toString());
      else this.#locks.delete(id);
      return [200];
    }
    if (method === "GET") return this.bodies.has(id) ? [200, this.bodies.get(id)] : [204];
    if (held === undefined) return [409];
    this.bodies.set(id, body);
    return [200];
  }
}
