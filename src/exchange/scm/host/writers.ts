/**
 * Who may write to a repository, as its host says, kept for a minute: the same few people review all requests of a
 * branch (docs/rules/pull-requests.md#what-counts-as-an-approval).
 */
import type { LRUCache } from "lru-cache";
import { readCache } from "../../../platform/cache/readCache.ts";
import type { RepositoryCalls } from "./client.ts";
import { HostError, type HostFailure, isNotFound } from "./errors.ts";
import type { RepositoryHost } from "./repositoryHost.ts";
import type { ListWriters, MayWrite, Reviewer } from "./reviews.ts";

const LASTS_MS = 60_000;
const REMEMBERED = 10_000;

type Asked = { repository: Pick<RepositoryHost, "mayWrite">; person: Reviewer };

export class Writers {
  readonly #kept: LRUCache<string, boolean, Asked>;

  /** @param perf what measures the minute */
  constructor(perf: { now(): number } = performance) {
    this.#kept = readCache((_key: string, { repository, person }: Asked) => repository.mayWrite(person), {
      max: REMEMBERED,
      ttl: LASTS_MS,
      perf,
    });
  }

  /**
   * For one question about a branch. A failure is not kept beyond it, and within it the host is not asked again: what
   * it refuses about one person it refuses about all.
   * @param place the integration as it is now, and the repository
   */
  of(place: string, repository: Pick<RepositoryHost, "mayWrite">): MayWrite {
    let failed: HostError | null = null;
    return async (person) => {
      if (failed !== null) throw failed;
      const key = JSON.stringify([place, person.id, person.login]);
      try {
        return await this.#kept.forceFetch(key, { context: { repository, person } });
      } catch (error) {
        if (error instanceof HostError) failed = error;
        throw error;
      }
    };
  }
}

/** Owners that a host of this family tells apart from administrators may write too. */
const WRITING: ReadonlySet<unknown> = new Set(["admin", "write", "owner"]);

/** The host sorts finer roles under these names. A login that is another's by now is nobody's who reviewed. */
export async function mayWriteOf(calls: RepositoryCalls, person: Reviewer): Promise<boolean> {
  try {
    const { data } = await calls.call("GET", "/collaborators/{login}/permission", { login: person.login });
    const { permission, user } = (data ?? {}) as { permission?: unknown; user?: { id?: unknown } | null };
    if (typeof permission !== "string") throw new HostError("nonsense");
    return WRITING.has(permission) && user?.id === person.id;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await calls.assertVisible();
  return false;
}

/** What the host does not show to these credentials, or has no list of. */
const NOT_SAID: ReadonlySet<HostFailure> = new Set(["not_found", "refused", "hidden", "too_large"]);

/** A list of the repository in which every writer is. */
export function writersIn(calls: RepositoryCalls, path: string, parameters: Record<string, unknown> = {}): ListWriters {
  return async () => {
    try {
      const { items, complete } = await calls.list(path, parameters);
      const ids = (items as ({ id?: unknown } | null)[]).map((item) => item?.id);
      return complete ? new Set(ids.filter((id) => typeof id === "number")) : null;
    } catch (error) {
      if (error instanceof HostError && NOT_SAID.has(error.failure)) return null;
      throw error;
    }
  };
}
