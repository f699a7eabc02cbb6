/**
 * OIDC discovery: asked for at once when a source is saved or tested, from a cache when people sign in
 * (docs/rules/sign-in.md#a-source-is-checked-before-it-is-stored).
 */
import { type AuthorizationServer, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import type { Egress } from "../../platform/egress/egress.ts";
import type { ProblemError } from "../../platform/problems/problem.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { isLoopbackHost } from "../sessions/browserOrigin.ts";
import { protocolHttp } from "./egressFetch.ts";
import { DiscoveryError, isEgressError } from "./errors.ts";

const POSITIVE_MS = 30 * 60_000;
const NEGATIVE_MS = 30_000;
/** Issuers come from organizations' settings, so their number is bounded by us and not by them. */
const MAX_ENTRIES = 2_000;

type Entry = { until: number; found: Promise<AuthorizationServer> };

export class Discovery {
  readonly #egress: Egress;
  readonly #metrics: Pick<Metrics, "discoveryRequests" | "discoveryDuration">;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(
    egress: Egress,
    metrics: Pick<Metrics, "discoveryRequests" | "discoveryDuration">,
    now: () => number = () => performance.now(),
  ) {
    this.#egress = egress;
    this.#metrics = metrics;
    this.#now = now;
  }

  /** From the cache of this process when it is fresh enough; failures are remembered too, but not for long. @throws DiscoveryError */
  async known(issuer: string): Promise<AuthorizationServer> {
    const entry = this.#entries.get(issuer);
    if (entry === undefined || entry.until <= this.#now()) return this.fresh(issuer);
    const outcome = await entry.found.then(
      () => "cached",
      () => "cached_failure",
    );
    this.#metrics.discoveryRequests.inc({ outcome });
    return entry.found;
  }

  /** Asks the issuer whatever is cached; the answer is cached. @throws DiscoveryError */
  fresh(issuer: string): Promise<AuthorizationServer> {
    const found = this.#ask(issuer);
    // While it is under way others wait for it instead of asking too.
    const entry = { until: Number.POSITIVE_INFINITY, found };
    this.#entries.delete(issuer);
    this.#entries.set(issuer, entry);
    if (this.#entries.size > MAX_ENTRIES) this.#entries.delete(this.#entries.keys().next().value as string);
    found.then(
      () => {
        entry.until = this.#now() + POSITIVE_MS;
      },
      () => {
        entry.until = this.#now() + NEGATIVE_MS;
      },
    );
    return found;
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
