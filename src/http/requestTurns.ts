/**
 * Requests that write take turns: one organization's many leave room for everybody else's in this process, in its
 * event loop, its connections and at the workers (docs/rules/api.md#turns).
 */
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { ProblemError } from "../platform/problems/problem.ts";
import { Recent } from "../platform/turns/recent.ts";
import { RetryAfter } from "../platform/turns/retryAfter.ts";
import { Turns } from "../platform/turns/turns.ts";
import type { Principal } from "./principal.ts";

/**
 * `brief`: the turn is given away while somebody else is waited for. `whole`: it is kept until the answer, since the
 * work is done by others at this request's cost. `none`: it waits for a stranger's bytes anyway.
 */
export type TurnKind = "brief" | "whole" | "none";

class TooManyAtOnceError extends ProblemError {
  constructor(retryAfterSeconds: number) {
    const detail = "Too many of your requests wait already, and this one was not begun. Send it again later.";
    super({ status: 429, code: "rate_limited", detail, retryAfterSeconds });
  }
}

/** Who asked for anything within this time takes part. */
const RECENT_MS = 2_000;
const WHOLE_AT_ONCE = 2;
const LONGEST_WAIT_MS = 10_000;
/** What waits costs memory, and whoever sent it may have gone. */
const LONGEST_LINE = 500;
const LEAST_RETRY_SECONDS = 2;
/** Brief requests of one caller that a busy process answers in a second. */
const PER_SECOND = 50;
/** Credentials whose callers are remembered, and for how long. */
const REMEMBERED = { max: 10_000, ttl: 60_000, updateAgeOnGet: true };
/** Of a credential that was not seen before, the requests that are authenticated at once. */
const UNKNOWN_AT_ONCE = 2;

export type Asked = {
  /** What the request proves its caller with, as it came; null without anything. */
  credential: string | null;
  kind: TurnKind;
  authenticate(): Promise<Principal>;
};

export class RequestTurns {
  readonly #recent = new Recent(RECENT_MS);
  readonly #retryAfter = new RetryAfter({ leastSeconds: LEAST_RETRY_SECONDS, perSecond: PER_SECOND });
  /**
   * Whose turn a credential takes, by its digest. It is no proof: each request is authenticated all the same, but
   * within the turn, so that a caller's many do not stand before others' at the database.
   */
  readonly #callers = new LRUCache<string, string>(REMEMBERED);
  readonly #unknown: Turns;
  readonly #brief: Turns;
  readonly #whole: Turns;
  readonly #longestWaitMs: number;

  /** @param places requests at once, shared among those who ask for anything; each has one at least */
  constructor(places: number, { longestWaitMs = LONGEST_WAIT_MS, longestLine = LONGEST_LINE } = {}) {
    const share = () => Math.max(Math.floor(places / Math.max(this.#recent.count(), 1)), 1);
    this.#unknown = new Turns(() => UNKNOWN_AT_ONCE, longestLine);
    this.#brief = new Turns(share, longestLine);
    this.#whole = new Turns(() => Math.min(share(), WHOLE_AT_ONCE), longestLine);
    this.#longestWaitMs = longestWaitMs;
  }

  get waiting(): number {
    return this.#brief.waiting + this.#whole.waiting;
  }

  /** @throws TooManyAtOnceError; as `authenticate` and `work` do */
  async within<T>({ credential, kind, authenticate }: Asked, work: (principal: Principal) => Promise<T>): Promise<T> {
    const digest = credential === null ? null : hash("sha256", credential, "base64");
    if (digest === null || kind === "none") {
      const principal = await authenticate();
      return this.#take(whose(principal), kind, () => work(principal));
    }
    const known = this.#callers.get(digest);
    if (known !== undefined) return this.#take(known, kind, async () => work(await authenticate()));
    const principal = await this.#meet(digest, authenticate);
    return this.#take(whose(principal), kind, () => work(principal));
  }

  /** Strangers stand in one line for each credential, and take no part in the sharing. */
  async #meet(digest: string, authenticate: () => Promise<Principal>): Promise<Principal> {
    await using turn = await this.#unknown.take(digest, this.#longestWaitMs);
    if (!turn.mine) throw new TooManyAtOnceError(this.#retryAfter.next(digest));
    const principal = await authenticate();
    this.#callers.set(digest, whose(principal));
    return principal;
  }

  async #take<T>(key: string, kind: TurnKind, work: () => Promise<T>): Promise<T> {
    this.#recent.see(key);
    if (kind === "none") return work();
    await using turn = await (kind === "brief" ? this.#brief : this.#whole).take(key, this.#longestWaitMs);
    if (!turn.mine) throw new TooManyAtOnceError(this.#retryAfter.next(key));
    return await (kind === "brief" ? turn.within(work) : work());
  }
}

/**
 * A token's organization, and the person of a session: whoever names an organization in an address may be a stranger
 * to it, and takes none of its turns.
 */
function whose(principal: Principal): string {
  if (principal.kind === "service_account") return principal.orgId;
  const { credential } = principal;
  return credential.kind === "personal_access_token" ? credential.orgId : principal.id;
}
