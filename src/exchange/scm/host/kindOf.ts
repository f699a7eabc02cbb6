/** What kind of code host answers at an address: Gitea and GitLab tell their versions there, GitHub does not. */
import type { HostKind } from "../hostKind.ts";
import type { RepositoryCalls } from "./client.ts";
import { HostError, type HostFailure } from "./errors.ts";

/** There is nothing of that kind at the address. */
const NOTHING: ReadonlySet<HostFailure> = new Set(["not_found", "moved", "unacceptable", "too_large", "nonsense"]);

/** @throws HostError where it cannot be found out */
export async function kindAt(calls: RepositoryCalls): Promise<Exclude<HostKind, "github"> | null> {
  try {
    const { data } = await calls.api("GET", "/version");
    const { version, revision } = (data ?? {}) as { version?: unknown; revision?: unknown };
    if (typeof version !== "string") return null;
    return typeof revision === "string" ? "gitlab" : "gitea";
  } catch (error) {
    if (error instanceof HostError && NOTHING.has(error.failure)) return null;
    throw error;
  }
}
