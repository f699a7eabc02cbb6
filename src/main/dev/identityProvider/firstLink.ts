/**
 * A link that signs one prepared person in without the password: once, and soon after the start. Whoever can read the
 * terminal could read the password there too.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tokenHash } from "../../../people/credentials/format.ts";

const LIFETIME_MS = 15 * 60_000;
const COOKIE = "first_sign_in";
const PATH = "/first/";

export class FirstLink {
  readonly #token = randomBytes(32).toString("base64url");
  readonly #until: number;
  /** What the browser that opened the link was given; taken back once it has signed in. */
  #browser: string | null = null;
  #opened = false;

  constructor(now = Date.now()) {
    this.#until = now + LIFETIME_MS;
  }

  /** Below the provider's own address. */
  get path(): string {
    return PATH + this.#token;
  }

  /** Sends the browser on to `start`; a link that is over leads there too, where the password is asked for. */
  open(request: IncomingMessage, response: ServerResponse, start: string, now = Date.now()): boolean {
    if (!request.url?.startsWith(PATH)) return false;
    const headers: Record<string, string> = { location: start, "cache-control": "no-store" };
    const isRight = timingSafeEqual(tokenHash(request.url.slice(PATH.length)), tokenHash(this.#token));
    // Not for a look ahead of a program that shows links.
    if (isRight && request.method === "GET" && !this.#opened && now < this.#until) {
      this.#opened = true;
      this.#browser = randomBytes(32).toString("base64url");
      headers["set-cookie"] = `${COOKIE}=${this.#browser}; Path=/; HttpOnly; SameSite=Lax; Max-Age=300`;
    }
    response.writeHead(302, headers).end();
    return true;
  }

  /** Whether this browser opened the link, and has not signed in by it. True once. */
  take({ headers }: IncomingMessage, now = Date.now()): boolean {
    const sent = /(?:^|; )first_sign_in=([^;]+)/.exec(headers.cookie ?? "")?.[1];
    if (sent === undefined || this.#browser === null || now >= this.#until) return false;
    if (!timingSafeEqual(tokenHash(sent), tokenHash(this.#browser))) return false;
    this.#browser = null;
    return true;
  }
}
