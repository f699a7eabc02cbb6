import type { PlanDocument } from "./planDocument.ts";

/**
 * The targets that chose nothing. The engine plans "no changes" for an address that is misspelt, and says no word about it. What a
 * target chooses is among the resource changes, unchanged or not; only data sources that were read already are not, so they are
 * never reported.
 */
export function unmatchedTargets(targets: readonly string[], document: PlanDocument): string[] {
  const addresses = document.resource_changes.map(({ address }) => address);
  return targets.filter((target) => !/\bdata\./.test(target) && !addresses.some((address) => chooses(target, address)));
}

/** A resource chooses its instances, a module what is in it. */
function chooses(target: string, address: string): boolean {
  return address.startsWith(target) && ["", ".", "["].includes(address.charAt(target.length));
}
