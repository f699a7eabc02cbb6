/** An older service has fewer calls: then the missing one is named, since "not found" would send people searching. */
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import type { Fetch } from "./persistentFetch.ts";
import { notTheService } from "./unreachable.ts";

type Paths = Record<string, Record<string, unknown>>;
/** `unknown`: nobody can say at the moment; null: whatever answers there has no such document. */
type Known = Paths | "unknown" | null;

export type Asked = { method: string; path: string; response: Response };
/** @throws Failure for a call that the service does not have, and for what is no answer of this service */
export type CallCheck = (asked: Asked) => Promise<void>;

export function callCheck(baseUrl: string, fetch: Fetch): CallCheck {
  let document: Promise<Known> | undefined;
  return async ({ method, path, response }) => {
    if (response.status !== 404 && response.status !== 405) return;
    document ??= readPaths(baseUrl, fetch);
    const known = await document;
    if (known === null) throw notTheService(baseUrl);
    if (known !== "unknown" && !hasCall(known, method, path)) throw callMissing(`${method} ${templateOf(path)}`);
  };
}

export function assertJson(baseUrl: string, { ok, status, headers }: Response): void {
  if (!ok || status === 204) return;
  if (!/^application\/(?:[\w.-]+\+)?json\b/.test(headers.get("content-type") ?? "")) throw notTheService(baseUrl);
}

function hasCall(paths: Paths, method: string, path: string): boolean {
  return Object.entries(paths).some(([template, methods]) => {
    const pattern = template.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
    return methods[method.toLowerCase()] !== undefined && new RegExp(`^${pattern.join("[^/]+")}$`).test(path);
  });
}

/** What stands in a path for one organization, stack or deployment is left out of what people are told. */
function templateOf(path: string): string {
  return path
    .replace(/\/orgs\/[^/]+/, "/orgs/{org_id}")
    .replace(/\/stacks\/[^/]+/, "/stacks/{stack_id}")
    .replace(/\/deployments\/(?!local$|run-command$)[^/]+/, "/deployments/{id}");
}

function callMissing(call: string): Failure {
  return Failure.of(
    EXIT.failed,
    `This service does not have the call that this needs: ${call}. It is older than this program.`,
    "Have the service brought up to date, or use the program of its version",
  );
}

async function readPaths(baseUrl: string, fetch: Fetch): Promise<Known> {
  const answer = await fetch(new Request(`${baseUrl}/openapi.json`)).catch(() => null);
  if (answer === null || answer.status >= 500 || answer.status === 429) return "unknown";
  const { paths } = ((await answer.json().catch(() => null)) ?? {}) as { paths?: Paths };
  return answer.ok && typeof paths === "object" && paths !== null ? paths : null;
}
