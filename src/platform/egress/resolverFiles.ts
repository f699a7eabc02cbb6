/** What `/etc/hosts` and `/etc/resolv.conf` say. Pure. */
import { isIP } from "node:net";

/** Addresses by name, in lower case. */
export function hostsEntries(text: string): Map<string, { address: string; family: number }[]> {
  const entries = new Map<string, { address: string; family: number }[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      entries.set(name, [...(entries.get(name) ?? []), { address, family }]);
    }
  }
  return entries;
}

export type SearchRules = { domains: string[]; ndots: number };

/** As many as libraries have taken for decades. */
const MOST_DOMAINS = 6;

/** Of several `search` or `domain` lines the last counts. */
export function searchRules(text: string): SearchRules {
  const rules: SearchRules = { domains: [], ndots: 1 };
  for (const line of text.split("\n")) {
    const [word, ...rest] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (word === "search" || word === "domain") rules.domains = rest.filter((domain) => domain !== ".");
    if (word !== "options") continue;
    const ndots = rest.map((option) => /^ndots:(\d+)$/.exec(option)?.[1]).find((digits) => digits !== undefined);
    if (ndots !== undefined) rules.ndots = Math.min(Number(ndots), 15);
  }
  return { ...rules, domains: rules.domains.slice(0, MOST_DOMAINS) };
}

/** The names to be asked for, in their order. A name that ends with a dot is whole. */
export function candidates(host: string, { domains, ndots }: SearchRules): string[] {
  if (host.endsWith(".")) return [host.slice(0, -1)];
  const searched = domains.map((domain) => `${host}.${domain.replace(/\.$/, "")}`);
  const dots = host.split(".").length - 1;
  return dots >= ndots ? [host, ...searched] : [...searched, host];
}
