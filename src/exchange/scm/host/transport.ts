/**
 * Octokit's requests through the service's own way out: its checks, caps and time limits hold for every call
 * (docs/rules/secrets.md#outbound-calls).
 */
import { request as octokit } from "@octokit/request";
import type { Egress } from "../../../platform/egress/egress.ts";
import { EgressAnswerError, EgressRefusedError } from "../../../platform/egress/errors.ts";
import { HostError } from "./errors.ts";

export type HostCall = {
  /** `GET /repos/{owner}/{repo}/...`, or a whole address for a next page. */
  route: string;
  parameters?: Record<string, unknown>;
  authorization: string | null;
};
/** `bytes`: of its body, inflated. `total`: how many entries a list has, where the host says so. */
export type HostAnswer = { status: number; data: unknown; link: string | null; bytes?: number; total?: number | null };

export type Transport = (call: HostCall) => Promise<HostAnswer>;
type RequestInterface = typeof octokit;

const TIMEOUT_MS = 20_000;
/** A compare of 300 files brings their patches along. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** Waits longer than this are not believed. */
const LONGEST_WAIT_MS = 2 * 3_600_000;
const BUSY_WAIT_MS = 2_000;
/** What hosts ask for where they limit without saying how long. */
const LEAST_WAIT_MS = 60_000;

/** Octokit's own request function, bound to a host. */
export function octokitOver(
  egress: Pick<Egress, "request">,
  baseUrl: string,
  timeoutMs = TIMEOUT_MS,
): RequestInterface {
  return octokit.defaults({
    baseUrl,
    headers: { "user-agent": "Svc-Deployments", "x-github-api-version": "2022-11-28" },
    request: { fetch: fetchOver(egress, timeoutMs), log: { warn() {}, debug() {}, info() {}, error() {} } },
  });
}

/** @throws HostError */
export function transportOver(request: RequestInterface): Transport {
  return async ({ route, parameters = {}, authorization }) => {
    try {
      const headers = authorization === null ? {} : { headers: { authorization } };
      const answer = await request(route, { ...parameters, ...headers });
      if ((answer.status as number) >= 300) throw new HostError("moved", answer.status);
      const { link = null, "content-length": bytes, "x-total-count": count } = answer.headers;
      const total = /^\d{1,9}$/.test(String(count)) ? Number(count) : null;
      return { status: answer.status, data: answer.data, link, bytes: Number(bytes ?? 0), total };
    } catch (error) {
      throw translated(error);
    }
  };
}

function fetchOver(egress: Pick<Egress, "request">, timeoutMs: number) {
  return async (url: string, options: { method: string; headers: Record<string, string>; body?: string }) => {
    const answer = await egress.request({
      url,
      method: options.method as "GET",
      headers: options.headers,
      ...(options.body !== undefined && { body: options.body }),
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    // The body comes inflated, so what describes its transfer must not be read again.
    const { "content-encoding": _, "content-length": __, ...headers } = answer.headers;
    const empty = answer.status === 204 || answer.status === 205 || answer.status === 304;
    const known = { ...headers, "content-length": String(answer.body.length) };
    return new Response(empty ? null : new Uint8Array(answer.body), { status: answer.status, headers: known });
  };
}

/** Octokit's and the egress client's many errors become ours, once. Nothing of their text or cause is kept. */
function translated(error: unknown): HostError {
  if (error instanceof HostError) return error;
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof EgressAnswerError) return new HostError(e.wrong === "too large" ? "too_large" : "nonsense");
    if (e instanceof EgressRefusedError && e.refusal !== "port_or_address") return new HostError("refused");
    if (e.name.startsWith("Egress")) return new HostError("unavailable");
  }
  const { status, response } = error as { status?: unknown; response?: Response };
  // Octokit answers 500 of its own for whatever went wrong before there was an answer.
  if (typeof status !== "number" || response === undefined) return new HostError("unavailable");
  return ofStatus(status, response.headers ?? {}, response.data);
}

type Headers = Record<string, string>;
type Response = { headers?: Headers; data?: unknown };

function ofStatus(status: number, headers: Headers, data: unknown): HostError {
  const wait = waitOf(headers);
  const limited = status === 429 || (status === 403 && (wait !== null || isLimit(headers, data)));
  if (limited) return new HostError("rate_limited", status, wait ?? LEAST_WAIT_MS);
  // GitLab's answer while another status of the same commit is being written.
  if (status === 409) return new HostError("rate_limited", status, wait ?? BUSY_WAIT_MS);
  if (status >= 500) return new HostError("unavailable", status, wait);
  if (status === 404 && /^branch not found\b/i.test(wordsOf(data).message)) return new HostError("no_branch", status);
  if (status === 404 || status === 410) return new HostError("not_found", status);
  if (status === 406 || status === 413) return new HostError("too_large", status);
  if (status === 400 || status === 422) return new HostError("unacceptable", status);
  if (status === 401 || status === 403) return new HostError("refused", status);
  if (status >= 300 && status < 400) return new HostError("moved", status);
  return new HostError("nonsense", status);
}

/**
 * A secondary limit comes as 403 with a budget that is not spent and no time: only the host's words tell it from
 * credentials that do not allow something.
 */
function isLimit(headers: Headers, data: unknown): boolean {
  const { message, documentation } = wordsOf(data);
  if (headers["x-ratelimit-remaining"] === "0") return true;
  return /\brate limit|\babuse detection/i.test(message) || /rate-limit/i.test(documentation);
}

/** Looked at, and never passed on. */
function wordsOf(data: unknown): { message: string; documentation: string } {
  const { message, documentation_url } = (data ?? {}) as { message?: unknown; documentation_url?: unknown };
  return { message: String(message ?? ""), documentation: String(documentation_url ?? "") };
}

/** Milliseconds to wait: `retry-after` in seconds, else until the spent budget is renewed (by the host's own clock). */
function waitOf(headers: Headers): number | null {
  const after = headers["retry-after"];
  if (after !== undefined && /^\d{1,6}$/.test(after)) return Math.min(Number(after) * 1_000, LONGEST_WAIT_MS);
  // GitLab calls them without the "x-".
  const budget = (name: string) => headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`];
  if (budget("remaining") !== "0") return null;
  const reset = Number(budget("reset")) * 1_000;
  const now = Date.parse(headers.date ?? "") || Date.now();
  return Number.isFinite(reset) ? Math.min(Math.max(reset - now, 1_000), LONGEST_WAIT_MS) : null;
}
