/**
 * OIDC discovery: asked for at once when a source is saved or tested, from a cache when people sign in
 * (docs/rules/sign-in.md#a-source-is-checked-before-it-is-stored).
 */
import { LRUCache } from "lru-cache";
import { type AuthorizationServer, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import type { Egress } from "../../platform/egress/egress.ts";
import { isLoopbackHost } from "../../platform/hosts/loopback.ts";
import type { ProblemError } from "../../platform/problems/problem.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { protocolHttp } from "./egressFetch.ts";
import { DiscoveryError, isEgressError } from "./errors.ts";

const POSITIVE_MS = 30 * 60_000;
const NEGATIVE_MS = 30_000;
/** After an answer that helped no more than the one before, an issuer is not asked out of turn so long. */
const IN_VAIN_MS = 30_000;
/** Issuers come from organizations' settings, so their number is bounded by us and not by them. */
const MAX_ENTRIES = 2_000;

type Answer = { server: AuthorizationServer } | { failure: unknown };

export class Discovery {
  readonly #egress: Egress;
  readonly #metrics: Pick<Metrics, "discoveryRequests" | "discoveryDuration">;
  readonly #answers: LRUCache<string, Answer>;
  readonly #inVain: LRUCache<string, true>;

  constructor(
    egress: Egress,
    metrics: Pick<Metrics, "discoveryRequests" | "discoveryDuration">,
    perf: { now(): number } = performance,
  ) {
    this.#egress = egress;
    this.#metrics = metrics;
    this.#inVain = new LRUCache<string, true>({ max: MAX_ENTRIES, ttl: IN_VAIN_MS, ttlResolution: 0, perf });
    this.#answers = new LRUCache<string, Answer>({
      max: MAX_ENTRIES,
      ttl: POSITIVE_MS,
      ttlResolution: 0,
      perf,
      ignoreFetchAbort: true,
      fetchMethod: async (issuer, _stale, { options }) => {
        try {
          return { server: await this.#ask(issuer) };
        } catch (failure) {
          options.ttl = NEGATIVE_MS;
          return { failure };
        }
      },
    });
  }

  /**
   * From the cache of this process when it is fresh enough; failures are remembered too, but not for long. `orgId` is
   * absent for an issuer that the operator named.
   * @throws DiscoveryError
   */
  known(issuer: string, orgId?: string): Promise<AuthorizationServer> {
    return this.#for(orgId, () => this.#known(issuer));
  }

  async #known(issuer: string): Promise<AuthorizationServer> {
    const status: LRUCache.Status<string, Answer> = {};
    const answer = await this.#answers.forceFetch(issuer, { status });
    if (status.fetch === "hit" || status.fetch === "inflight") {
      this.#metrics.discoveryRequests.inc({ outcome: "server" in answer ? "cached" : "cached_failure" });
    }
    return serverOf(answer);
  }

  /** Asks the issuer whatever is cached; the answer is cached. @throws DiscoveryError */
  fresh(issuer: string, orgId?: string): Promise<AuthorizationServer> {
    return this.#for(orgId, async () => {
      // Also a question under way is not good enough; who waits for that one still gets its answer.
      this.#answers.delete(issuer);
      return serverOf(await this.#answers.forceFetch(issuer));
    });
  }

  #for<T>(orgId: string | undefined, work: () => Promise<T>): Promise<T> {
    return orgId === undefined ? work() : this.#egress.through(orgId, work);
  }

  /**
   * A token was refused by what is cached of its issuer: asks it again. The keys hang on the answer's very object, so
   * they are asked for again as well. Null while that was in vain a moment ago: wrong tokens must not send us to the
   * issuer each time.
   * @throws DiscoveryError
   */
  async anew(issuer: string, orgId?: string): Promise<AuthorizationServer | null> {
    return this.#inVain.has(issuer) ? null : this.fresh(issuer, orgId);
  }

  wasInVain(issuer: string): void {
    this.#inVain.set(issuer, true);
  }

  async #ask(issuer: string): Promise<AuthorizationServer> {
    const end = this.#metrics.discoveryDuration.startTimer();
    try {
      const server = await askIssuer(this.#egress, issuer);
      this.#metrics.discoveryRequests.inc({ outcome: "success" });
      return server;
    } catch (error) {
      this.#metrics.discoveryRequests.inc({ outcome: "failure" });
      throw error;
    } finally {
      end();
    }
  }
}

function serverOf(answer: Answer): AuthorizationServer {
  if ("server" in answer) return answer.server;
  throw answer.failure;
}

async function askIssuer(egress: Egress, issuer: string): Promise<AuthorizationServer> {
  const url = issuerUrl(issuer);
  try {
    const response = await discoveryRequest(url, { algorithm: "oidc", ...protocolHttp(egress, issuer) });
    return usable(await processDiscoveryResponse(url, response));
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    if (isEgressError(error)) throw new DiscoveryError((error as ProblemError).detail, error);
    throw new DiscoveryError(
      "The issuer's configuration document is missing, malformed or names another issuer.",
      error,
    );
  }
}

/** @throws DiscoveryError for what can be no issuer */
function issuerUrl(issuer: string): URL {
  const url = URL.parse(issuer);
  const allowed =
    url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)));
  if (!allowed || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new DiscoveryError("An issuer is an https:// address without query, fragment or credentials.");
  }
  return url;
}

/** The parts a code flow with checked signatures needs, each where a browser or this service may go. */
function usable(server: AuthorizationServer): AuthorizationServer {
  const insecure = new URL(server.issuer).protocol === "http:";
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    const url = URL.parse(server[name] ?? "");
    if (url === null || !(url.protocol === "https:" || (insecure && url.protocol === "http:"))) {
      throw new DiscoveryError(`The issuer's configuration document has no usable ${name}.`);
    }
  }
  const types = server.response_types_supported;
  if (types !== undefined && !types.includes("code")) {
    throw new DiscoveryError("The issuer does not offer the authorization code flow.");
  }
  return server;
}
