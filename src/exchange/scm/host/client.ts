/** One repository at its host: authorized calls, and lists whose pages are followed to the end. */
import type { CloneCredentials, HostCredentials } from "./credentials.ts";
import { HostError, isNotFound, isRefusal } from "./errors.ts";
import type { HostAnswer, Transport } from "./transport.ts";

export type RepositoryCalls = {
  /** A call below the address of the API itself. @throws HostError */
  api(method: string, path: string): Promise<HostAnswer>;
  /** A call below the repository's address of the API. @throws HostError */
  call(method: string, path: string, parameters?: Record<string, unknown>): Promise<HostAnswer>;
  /**
   * Every entry of a list. `complete` is false when the host's pages go round in circles or on for ever.
   * @throws HostError
   */
  list(path: string, parameters: Record<string, unknown>, itemsOf?: (data: unknown) => unknown): Promise<Listed>;
  /**
   * What a 404 about something of the repository means: nothing, unless the repository itself can be seen.
   * @throws HostError where it cannot
   */
  assertVisible(): Promise<void>;
  cloneCredentials(): Promise<CloneCredentials | null>;
  /** Of its owner's other repositories too. */
  ownerCredentials(): Promise<CloneCredentials | null>;
};
export type Listed = { items: unknown[]; complete: boolean };

/** A host lists at most 3,000 files of a pull request; nothing else is longer. */
const MAX_PAGES = 60;
/** Of all pages together: each is in memory until the last one is read. */
const MAX_LIST_BYTES = 32 * 1_048_576;

/** As hosts name a repository and page its lists. */
export type Dialect = {
  /** The repository's address below that of the API, as a template, and what goes into it. */
  below: string;
  named: Record<string, unknown>;
  /** The parameter for the size of a page, and the size that the host gives at most. */
  pageSize: [name: string, most: number];
  /**
   * How its lists go on. `links`: at the address that is told. `numbers`: as well, but some hosts tell their public
   * address, which need not be the one that is called, so the page's number is enough. `counted`: of some lists it
   * tells only how many entries there are, and of some not even that.
   */
  pages: "links" | "numbers" | "counted";
};

export function repositoryCalls(
  transport: Transport,
  credentials: HostCredentials,
  { owner, name, baseUrl }: { owner: string; name: string; baseUrl: string },
  dialect: Dialect = { below: REPOS, named: { owner, repo: name }, pageSize: ["per_page", 100], pages: "links" },
): RepositoryCalls {
  /** A token that was taken back before its time, or allows less than one of today, is replaced once. */
  async function authorized(route: string, parameters: Record<string, unknown>): Promise<HostAnswer> {
    const send = (authorization: string | null) => transport({ route, parameters, authorization });
    const first = await credentials.authorization(owner);
    try {
      return await send(first);
    } catch (error) {
      const other = isRefusal(error) ? await credentials.inPlaceOf(owner, first) : null;
      if (other === null) throw error;
      try {
        return await send(other);
      } catch (again) {
        if (isRefusal(again)) credentials.wasInVain(owner);
        throw again;
      }
    }
  }

  const call: RepositoryCalls["call"] = (method, path, parameters = {}) =>
    authorized(`${method} ${dialect.below}${path}`, { ...dialect.named, ...parameters });

  return {
    api: (method, path) => authorized(`${method} ${path}`, {}),
    call,
    async list(path, parameters, itemsOf = (data) => data) {
      const [size, most] = dialect.pageSize;
      const asked = { ...parameters, [size]: most };
      const items: unknown[] = [];
      const seen = new Set<string>();
      let bytes = 0;
      let answer = await call("GET", path, asked);
      for (let page = 1; ; page++) {
        const found = itemsOf(answer.data);
        if (!Array.isArray(found)) throw new HostError("nonsense", answer.status);
        bytes += answer.bytes ?? 0;
        if (bytes > MAX_LIST_BYTES) throw new HostError("too_large");
        const next = nextPage(answer.link);
        const { total = null } = answer;
        const known = dialect.pages === "links" ? next : nameOf(found);
        const isKnown = known !== null && seen.has(known);
        // A list that has no pages is given whole again.
        if (isKnown && next === null) return { items, complete: (total ?? 0) <= items.length };
        for (const item of found) items.push(item);
        const isLast = dialect.pages !== "counted" || isEnd(found.length, items.length, total, page * most);
        if (next === null && isLast) return { items, complete: true };
        if (isKnown || page >= MAX_PAGES) return { items, complete: false };
        if (known !== null) seen.add(known);
        if (dialect.pages === "links" && next !== null) answer = await authorized(`GET ${ofTheApi(next, baseUrl)}`, {});
        else answer = await call("GET", path, { ...asked, page: page + 1 });
      }
    },
    async assertVisible() {
      try {
        await call("GET", "");
      } catch (error) {
        throw isNotFound(error) ? new HostError("hidden", 404) : error;
      }
    },
    cloneCredentials: () => credentials.clone(owner, name),
    ownerCredentials: () => credentials.cloneOwned(owner),
  };
}

const REPOS = "/repos/{owner}/{repo}";

/** What a page is known by that has no address; null for an empty one. */
function nameOf(page: unknown[]): string | null {
  return page.length > 0 ? JSON.stringify(page) : null;
}

/**
 * Whether nothing follows a page. Entries that are hidden from us are counted, and may be all of a page; a count that
 * is less than what was read is none.
 */
function isEnd(found: number, read: number, total: number | null, looked: number): boolean {
  return read === total || (found === 0 && looked >= (total ?? 0));
}

/** The address of the next page. */
function nextPage(link: string | null): string | null {
  const next = link
    ?.split(",")
    .map((part) => /^\s*<([^<>]+)>\s*;.*\brel="?next"?/.exec(part)?.[1])
    .find((url) => url !== undefined);
  return next ?? null;
}

/** One that leads away from the API would take the token with it. @throws HostError */
function ofTheApi(next: string, baseUrl: string): string {
  const [url, base] = [URL.parse(next), new URL(`${baseUrl}/`)];
  const isBelow = url?.origin === base.origin && url.pathname.startsWith(base.pathname);
  if (url === null || !isBelow || url.username !== "" || url.password !== "" || /[{}]/.test(next)) {
    throw new HostError("nonsense");
  }
  return url.href;
}
