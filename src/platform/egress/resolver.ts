/**
 * Names that tenants gave, resolved by sockets of our own. The system's lookup runs in the process's few threads,
 * where eight silent names hold up everybody's lookups for seconds; this one is given up at its deadline.
 */
import { promises as dns } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { EgressTimeoutError } from "./errors.ts";
import { candidates, hostsEntries, searchRules } from "./resolverFiles.ts";

/** All addresses of a name, in the order to be tried. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

/** Of one name, all its tries and search domains. */
const GIVE_UP_MS = 5_000;
const TRY_MS = 2_000;
const TRIES = 2;
/** How long what the two files say is kept. */
const FILES_GOOD_FOR_MS = 5_000;

type Options = { hostsFile?: string; resolvConf?: string; servers?: readonly string[]; giveUpMs?: number };
type Found = Awaited<ReturnType<Resolve>>;

/** As the system's resolver finds names: its hosts file, then name servers and search domains of resolv.conf. */
export function ownResolver({
  hostsFile = "/etc/hosts",
  resolvConf = "/etc/resolv.conf",
  servers,
  giveUpMs = GIVE_UP_MS,
}: Options = {}): Resolve {
  const hosts = kept(hostsFile, hostsEntries);
  const rules = kept(resolvConf, searchRules);
  return async (host) => {
    const name = host.toLowerCase().replace(/\.$/, "");
    const listed = (await hosts()).get(name) ?? loopbackOf(name) ?? numeric(name);
    if (listed !== undefined) return listed;
    const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new EgressTimeoutError());
      resolver.cancel();
    }, giveUpMs);
    try {
      return await Promise.race([firstFound(resolver, candidates(host, await rules())), late.promise]);
    } finally {
      clearTimeout(timer);
      // Whatever is still asked is asked in vain, and its socket is closed.
      resolver.cancel();
    }
  };
}

/** @throws the last failure, when no candidate has an address */
async function firstFound(resolver: dns.Resolver, names: readonly string[]): Promise<Found> {
  let failure: unknown = new Error("the name has no address");
  for (const name of names) {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    // Version 4 first: many a container has an address of version 6 and no way out.
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (found.length > 0) return found;
    failure = four.status === "rejected" ? four.reason : failure;
  }
  throw failure;
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): Found {
  return answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
}

/** `localhost` and names below it are this machine, whatever a name server says of them. */
function loopbackOf(name: string): Found | undefined {
  if (name !== "localhost" && !name.endsWith(".localhost")) return undefined;
  return [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
}

/** `127.1` and the like: what every library takes for an address is one here too, and is judged as that. */
function numeric(name: string): Found | undefined {
  const address = URL.parse(`http://${name}/`)?.hostname ?? "";
  return isIP(address) === 4 ? [{ address, family: 4 }] : undefined;
}

/** A file that need not be there. */
function kept<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let value: Promise<T> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (value === undefined || performance.now() - readAt > FILES_GOOD_FOR_MS) {
      readAt = performance.now();
      value = readFile(path, "utf8").then(parse, () => parse(""));
    }
    return value;
  };
}
