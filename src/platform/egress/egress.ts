/**
 * The one way out: every HTTP call to a host that an organization or an identity provider named
 * (docs/rules/secrets.md#outbound-calls).
 */
import { isIP, type Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, request as send } from "undici";
import { unlessAborted } from "../time/unlessAborted.ts";
import { type EgressPolicy, mayConnect } from "./addresses.ts";
import { readAnswer } from "./answerBody.ts";
import { EgressRefusedError, EgressTimeoutError, EgressUnreachableError } from "./errors.ts";
import { ownResolver, type Resolve } from "./resolver.ts";
import { checkedLookup, openSocket, type SocketCall } from "./socket.ts";
import type { TenantGate } from "./tenantGate.ts";

export interface EgressRequest {
  url: string;
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Cap of the whole exchange, name resolution to last byte. Default 10 s. */
  timeoutMs?: number;
  /** Cap of the body after inflation. Default 1 MiB. */
  maxAnswerBytes?: number;
  /** Only status and headers are wanted: the body is empty in the answer, whatever its size and encoding. */
  ignoreBody?: boolean;
  signal?: AbortSignal;
}

/** Any answer, redirects too: they are never followed, since they would lead around every check. */
export interface EgressAnswer {
  status: number;
  /** Names in lower case; a repeated header is joined by ", ". */
  headers: Record<string, string>;
  body: Buffer;
}

export interface Egress {
  /** @throws EgressRefusedError, EgressTimeoutError, EgressUnreachableError, EgressAnswerError; the signal's reason. */
  request(call: EgressRequest): Promise<EgressAnswer>;
  /**
   * For git, which resolves and connects by itself: every address of the host must be allowed. The answer is what was
   * checked, so that the caller can pin it (`http.curloptResolve`) against a name that changes its mind.
   * @param which also public ones, or only those that the operator opened
   * @throws EgressRefusedError, EgressUnreachableError, EgressTimeoutError
   */
  checkHost(host: string, port: number, which?: "all" | "opened"): Promise<string[]>;
  /**
   * An open connection for another protocol than HTTP. @throws EgressRefusedError, EgressUnreachableError; the
   * signal's reason
   */
  connect(call: SocketCall): Promise<Socket>;
  /**
   * Work that goes out for a tenant, perhaps with several calls: at most so many pieces at once for each. A piece must
   * not ask for another one within. @throws ProblemError 429 or 503 with Retry-After; as the work does
   */
  through: TenantGate["through"];
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1_048_576;
/**
 * More than callers have in flight at once (notifications: 100 by default), so that calls of one organization that hang
 * at a host never make another's to the same host wait for a connection. How many there are is for each caller to
 * limit.
 */
const PER_ORIGIN = 1_000;
/** Of a body that nobody wants, the most that is read. */
const IGNORED_BYTES = 16_384;

/**
 * Told of a host that may not be called, with what its name leads to: for the operator, who may have meant to open it.
 */
export type OnRefused = (host: string, port: number, addresses: readonly string[]) => void;

export function createEgress(
  policy: EgressPolicy,
  resolve: Resolve = ownResolver(),
  onRefused: OnRefused = () => {},
  gate: Pick<TenantGate, "through"> = { through: (_tenant, work) => work() },
): Egress {
  const agent = new Agent({
    connect: checkedConnector(policy, resolve, onRefused),
    connections: PER_ORIGIN,
    keepAliveTimeout: 4_000,
  });
  return {
    async request(call) {
      const url = checkedUrl(call.url);
      const deadline = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
      const signal = call.signal === undefined ? deadline : AbortSignal.any([deadline, call.signal]);
      try {
        const sent = send(url, {
          dispatcher: agent,
          method: call.method ?? "GET",
          headers: { "accept-encoding": "gzip", ...call.headers },
          body: call.body ?? null,
          signal,
        });
        const answer = await unlessAborted(sent, signal);
        const headers = flatHeaders(answer.headers);
        if (call.ignoreBody) {
          // A little is read so that the connection can be used again; how that ends changes nothing about the answer.
          await unlessAborted(answer.body.dump({ limit: IGNORED_BYTES, signal }), signal).catch(() => undefined);
          return { status: answer.statusCode, headers, body: Buffer.alloc(0) };
        }
        const encoding = flat(answer.headers["content-encoding"]);
        const body = await readAnswer(answer.body, encoding, call.maxAnswerBytes ?? MAX_ANSWER_BYTES);
        return { status: answer.statusCode, headers, body };
      } catch (error) {
        throw translated(error, deadline, call.signal);
      }
    },

    async checkHost(host, port, which = "all") {
      const found = isIP(host) ? [{ address: host }] : await resolved(host, resolve);
      const addresses = found.map((one) => one.address);
      if (addresses.length === 0) throw new EgressUnreachableError(new Error("the name has no address"));
      const ports = which === "opened" ? [] : policy.ports;
      if (!addresses.every((address) => mayConnect({ ...policy, ports }, address, port))) {
        onRefused(host, port, addresses);
        throw new EgressRefusedError("port_or_address");
      }
      return addresses;
    },

    async connect(call) {
      try {
        return await openSocket({ policy, resolve, onRefused }, call);
      } catch (error) {
        if (call.signal.aborted || error instanceof EgressRefusedError) throw error;
        throw new EgressUnreachableError(error);
      }
    },

    through: (tenant, work) => gate.through(tenant, work),
    close: () => agent.destroy(),
  };
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new EgressRefusedError("malformed");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new EgressRefusedError("scheme");
  if (url.username !== "" || url.password !== "") throw new EgressRefusedError("credentials");
  return url;
}

/**
 * Resolves, checks and connects in one step, so that the address checked is the address used. TLS still verifies the
 * name of the URL.
 */
function checkedConnector(policy: EgressPolicy, resolve: Resolve, onRefused: OnRefused): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
    if (isIP(options.hostname) && !mayConnect(policy, options.hostname, port)) {
      onRefused(options.hostname, port, [options.hostname]);
      callback(new EgressRefusedError("port_or_address"), null);
      return;
    }
    const allowed = (address: string) => mayConnect(policy, address, port);
    const lookup = checkedLookup(resolve, allowed, (host, addresses) => onRefused(host, port, addresses));
    buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, lookup })(options, callback);
  };
}

async function resolved(host: string, resolve: Resolve): ReturnType<Resolve> {
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    return await unlessAborted(resolve(host), deadline);
  } catch (error) {
    throw translated(error, deadline, undefined);
  }
}

/** undici's and the sockets' many errors become our four, once. */
function translated(error: unknown, deadline: AbortSignal, caller: AbortSignal | undefined): unknown {
  if (caller?.aborted && error === caller.reason) return error;
  if (deadline.aborted) return new EgressTimeoutError();
  const code = (error as { code?: unknown }).code;
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "UND_ERR_HEADERS_TIMEOUT") return new EgressTimeoutError();
  if (error instanceof Error && error.name.startsWith("Egress")) return error;
  return new EgressUnreachableError(error);
}

function flatHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), flat(value)]));
}

function flat(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}
