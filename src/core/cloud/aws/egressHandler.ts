/** Lets the AWS SDK send through the one egress client (docs/rules/secrets.md#outbound-calls). */
import type { STSClientConfig } from "@aws-sdk/client-sts";
import type { Egress } from "../../../platform/egress/egress.ts";

type Handler = Extract<NonNullable<STSClientConfig["requestHandler"]>, { handle: unknown }>;
type SdkRequest = {
  protocol: string;
  hostname: string;
  port?: number;
  method: string;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
};

/** One attempt's cap; the SDK repeats what broke off. */
const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 262_144;

export function egressHandler(egress: Pick<Egress, "request">): Handler {
  const handle = async (request: SdkRequest, { abortSignal }: { abortSignal?: unknown } = {}) => {
    const { status, headers, body } = await egress.request({
      url: urlOf(request),
      method: request.method as "GET" | "POST",
      // The client sets these itself, from the URL and the body.
      headers: without(request.headers, ["host", "content-length"]),
      ...(request.body === undefined ? {} : { body: request.body as string | Buffer }),
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(abortSignal instanceof AbortSignal ? { signal: abortSignal } : {}),
    });
    return { response: { statusCode: status, headers: without(headers, ["content-encoding"]), body } };
  };
  return { handle, updateHttpClientConfig: () => {}, httpHandlerConfigs: () => ({}) } as unknown as Handler;
}

function urlOf({ protocol, hostname, port, path, query = {} }: SdkRequest): string {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) url.searchParams.append(name, each ?? "");
  }
  return url.href;
}

function without(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())));
}
