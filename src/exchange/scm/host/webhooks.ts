/** What a repository's webhooks lack of what the service needs, in the words that the host shows beside its boxes. */
import type { WebhookCheck } from "../schema.ts";
import { HostError, type HostFailure } from "./errors.ts";

export type WebhookFinding = Pick<WebhookCheck, "state" | "missing" | "reason">;

/** A webhook as its host tells of it. */
export type Webhook = {
  url: unknown;
  /** What it delivers, in the host's words. */
  delivers: string[];
  /** What keeps it from delivering at all. */
  stopped: string | null;
  /** The only branches that it delivers, if not all. */
  branches?: unknown;
};

/** The host does not show them to everybody who may read. */
const NOT_SHOWN: ReadonlySet<HostFailure> = new Set(["not_found", "refused", "hidden"]);

const ABSENT =
  "none of the repository's own webhooks leads to this integration; one of its owner, or of the whole host, is not seen here";

/** Several that lead here add up. Pure. */
export function findingOf(webhooks: readonly Webhook[], path: string, wanted: readonly string[]): WebhookFinding {
  const here = webhooks.filter(({ url }) => leadsTo(url, path));
  if (here.length === 0) return { state: "absent", missing: [], reason: ABSENT };
  const working = here.filter(({ stopped }) => stopped === null);
  if (working.length === 0) {
    return { state: "incomplete", missing: here.map(({ stopped }) => stopped ?? ""), reason: null };
  }
  const delivered = new Set(working.flatMap(({ delivers }) => delivers));
  const missing = wanted.filter((word) => !delivered.has(word));
  const narrowed = working.find(({ branches }) => typeof branches === "string" && !["", "*", "**"].includes(branches));
  const reason = narrowed === undefined ? null : "it delivers pushes only of branches that fit the filter set there";
  return { state: missing.length === 0 ? "complete" : "incomplete", missing, reason };
}

function leadsTo(url: unknown, path: string): boolean {
  const at = typeof url === "string" ? URL.parse(url)?.pathname : undefined;
  return at?.toLowerCase().endsWith(path.toLowerCase()) === true;
}

/**
 * What keeps the webhooks from being seen is no failure of the integration.
 * @param who may see them
 */
export async function ifShown(who: string, look: () => Promise<WebhookFinding>): Promise<WebhookFinding> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const reason = NOT_SHOWN.has(error.failure) ? `the code host shows webhooks only to ${who}` : error.reason;
    return { state: "unknown", missing: [], reason };
  }
}
