/**
 * Calls of the service, typed by its own document. Every write carries an `Idempotency-Key`, so that it can be sent
 * again when nobody knows whether it arrived; what is refused is thrown as an `ApiError`.
 */
import createFetchClient, { type Client, type Middleware } from "openapi-fetch";
import { errorOf } from "./problem.ts";
import type { paths } from "./schema.d.ts";

export type Api = Client<paths>;

export type ApiOptions = {
  /** Where the service is, without a slash at the end. */
  baseUrl: string;
  fetch?: (request: Request) => Promise<Response>;
  /** Headers that prove who calls, asked for at each call: a token, or the CSRF proof of a session. */
  credentials?: (request: Request) => Promise<Record<string, string>> | Record<string, string>;
};

const IDEMPOTENCY_KEY = "idempotency-key";

export function apiClient({ baseUrl, fetch, credentials }: ApiOptions): Api {
  const client = createFetchClient<paths>({
    baseUrl,
    // Several values of a filter are one, separated by commas.
    querySerializer: { array: { style: "form", explode: false } },
    ...(fetch && { fetch }),
  });
  const middleware: Middleware = {
    async onRequest({ request }) {
      if (isWrite(request) && !request.headers.has(IDEMPOTENCY_KEY)) {
        request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID());
      }
      for (const [name, value] of Object.entries((await credentials?.(request)) ?? {})) {
        request.headers.set(name, value);
      }
      return request;
    },
    async onResponse({ response }) {
      if (!response.ok && response.status !== 304) throw await errorOf(response);
      return undefined;
    },
  };
  client.use(middleware);
  return client;
}

export function isWrite({ method }: Request): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** What a call answered. The client throws where there is none. */
export async function answerOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
