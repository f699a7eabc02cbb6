/**
 * Under which names the repository of a delivery is known here: a host tells several addresses of one repository,
 * stacks may have any of them, and some hosts have names that they do not tell. Pure.
 */
import { parseRepositoryUrl, repositoryKey } from "../../core/stacks/repositoryUrl.ts";

/**
 * The keys of all addresses that are the integration's, as told and under its host's other names; in the order told, so
 * that one and the same delivery gives the same ones first.
 * @param isOurs whether the integration serves an address
 */
export function namedRepositories(
  told: readonly string[],
  otherNames: readonly string[],
  isOurs: (address: string) => boolean,
): string[] {
  const renamed = told.flatMap((address) => otherNames.flatMap((name) => underName(address, name)));
  const ours = [...told, ...renamed].filter(isOurs).map(repositoryKey);
  if (ours.length === 0) return [];
  // Of a repository that is the integration's every name is: whether a stack is served is said by the stack's own
  // address.
  return [...new Set([...ours, ...renamed.map(repositoryKey)])];
}

/** The same repository at another host; none where the address is of no form that is known. */
function underName(address: string, name: string): string[] {
  const host = parseRepositoryUrl(address)?.host ?? "";
  const at = host === "" ? -1 : address.toLowerCase().indexOf(host.toLowerCase());
  return at < 0 ? [] : [address.slice(0, at) + name + address.slice(at + host.length)];
}
