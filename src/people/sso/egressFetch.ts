import type { CustomFetchOptions } from "oauth4webapi";
import { allowInsecureRequests, customFetch } from "oauth4webapi";
import type { Egress } from "../../platform/egress/egress.ts";
import { isLoopbackHost } from "../../platform/hosts/loopback.ts";

type AnyFetchOptions = CustomFetchOptions<string, URLSearchParams | string | Uint8Array | undefined | null>;

/**
 * How the protocol library reaches a provider: through the one way out, never by itself. Plain HTTP is for an issuer on
 * this machine alone, which the operator must have opened besides.
 */
export function protocolHttp(egress: Egress, issuer: string) {
  const { protocol, hostname } = new URL(issuer);
  return {
    [customFetch]: (url: string, options: AnyFetchOptions) => egressFetch(egress, url, options),
    [allowInsecureRequests]: protocol === "http:" && isLoopbackHost(hostname),
  };
}

async function egressFetch(egress: Egress, url: string, options: AnyFetchOptions): Promise<Response> {
  const { body, method, headers, signal } = options;
  const answer = await egress.request({
    url,
    method: method as "GET" | "POST",
    headers,
    ...(body === undefined || body === null
      ? {}
      : { body: body instanceof Uint8Array ? Buffer.from(body) : `${body}` }),
    ...(signal === undefined ? {} : { signal }),
  });
  const empty = answer.status === 204 || answer.status === 304;
  return new Response(empty ? null : new Uint8Array(answer.body), { status: answer.status, headers: answer.headers });
}
