/** A connection to somebody who may say only so much. What is said beyond reaches no library that would keep it. */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/**
 * The same connection, ended before the first byte too many is handed on. TLS on top of it counts as it comes, with
 * certificates and all. Its silence has no limit of its own: `setTimeout` is there for libraries that expect a socket.
 */
export class LimitedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #most: number;
  #taken = 0;

  constructor(socket: Socket, most: number) {
    // Its end or its error tells all. Under TLS a `close` would come before what TLS says was wrong.
    super({ emitClose: false });
    this.#socket = socket;
    this.#most = most;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.once("end", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
    socket.pause();
  }

  /** How much was handed on. */
  get taken(): number {
    return this.#taken;
  }

  setTimeout(): this {
    return this;
  }

  #take(chunk: Buffer): void {
    if (this.destroyed) return;
    if (this.#taken + chunk.length > this.#most) {
      this.destroy(new Error(`more than ${this.#most} bytes came`));
      return;
    }
    this.#taken += chunk.length;
    if (!this.push(chunk)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
