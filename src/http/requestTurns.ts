/**
 * Requests that write take turns: one organization's many leave room for everybody else's in this process, in its
 * event loop, its connections and at the workers (docs/rules/api.md#turns).
 */
import { ProblemError } from "../platform/problems/problem.ts";
import { Recent } from "../platform/turns/recent.ts";
import { Turns } from "../platform/turns/turns.ts";
import type { Principal } from "./principal.ts";

/**
 * `brief`: the turn is given away while somebody else is waited for. `whole`: it is kept until the answer, since the
 * work is done by others at this request's cost. `none`: it waits for a stranger's bytes anyway.
 */
export type TurnKind = "brief" | "whole" | "none";

class TooManyAtOnceError extends ProblemError {
  constructor() {
    const detail = "Too many of your requests wait already, and this one was not begun. Send it again later.";
    super({ status: 429, code: "rate_limited", detail, retryAfterSeconds: RETRY_SECONDS });
  }
}

/** Who asked for anything within this time takes part. */
const RECENT_MS = 2_000;
const WHOLE_AT_ONCE = 2;
const LONGEST_WAIT_MS = 10_000;
/** What waits costs memory, and whoever sent it may have gone. */
const LONGEST_LINE = 500;
const RETRY_SECONDS = 2;

export class RequestTurns {
  readonly #recent = new Recent(RECENT_MS);
  readonly #brief: Turns;
  readonly #whole: Turns;
  readonly #longestWaitMs: number;

  /** @param places requests at once, shared among those who ask for anything; each has one at least */
  constructor(places: number, { longestWaitMs = LONGEST_WAIT_MS, longestLine = LONGEST_LINE } = {}) {
    const share = () => Math.max(Math.floor(places / Math.max(this.#recent.count(), 1)), 1);
    this.#brief = new Turns(share, longestLine);
    this.#whole = new Turns(() => Math.min(share(), WHOLE_AT_ONCE), longestLine);
    this.#longestWaitMs = longestWaitMs;
  }

  get waiting(): number {
    return this.#brief.waiting + this.#whole.waiting;
  }

  /** @throws TooManyAtOnceError */
  async within<T>(principal: Principal, kind: TurnKind, work: () => Promise<T>): Promise<T> {
    const key = whose(principal);
    this.#recent.see(key);
    if (kind === "none") return work();
    await using turn = await (kind === "brief" ? this.#brief : this.#whole).take(key, this.#longestWaitMs);
    if (!turn.mine) throw new TooManyAtOnceError();
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
