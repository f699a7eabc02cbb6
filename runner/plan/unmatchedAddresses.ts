import { isObject } from "../output/sensitiveValues.ts";
import type { PlanDocument } from "./planDocument.ts";
import { resourcesOf } from "./stateResources.ts";

interface Asked {
  targets: readonly string[];
  excludes: readonly string[];
  replaces: readonly string[];
}

/** Index keys: numbers, and texts that may hold brackets. */
const INDEX = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g;

/**
 * A warning for each address that chose nothing. The engine plans "no changes" for one that is misspelt, and says no
 * word about it. What a target or a replace chooses is among the resource changes, unchanged or not; only data sources
 * that were read already are not, so nothing is said of them.
 */
export function unmatchedAddresses({ targets, excludes, replaces }: Asked, document: PlanDocument): string[] {
  const planned = document.resource_changes.map(({ address }) => address);
  const among = (addresses: readonly string[], asked: string) => addresses.some((address) => chooses(asked, address));
  const missed = targets.filter((asked) => !isData(asked) && !among(planned, asked));
  // One instance is replaced: a resource with several is none, and the engine leaves it as it is.
  const kept = replaces.filter((asked) => !isData(asked) && !planned.includes(asked));
  const there = excludes.length === 0 ? [] : known(planned, document);
  // What is left out is not planned, and without a state only the configuration has it, where no instance has an index.
  const unknown = excludes.filter((asked) => !among(there, asked) && !among(there, asked.replace(INDEX, "")));
  return [
    ...missed.map((address) => `The target ${address} matches no resource; nothing was planned for it.`),
    ...unknown.map((address) => `The exclude ${address} matches no resource; nothing was left out for it.`),
    ...kept.map((address) => `The replace ${address} matches no resource that is planned; nothing is replaced for it.`),
  ];
}

function isData(address: string): boolean {
  return /\bdata\./.test(address);
}

/** A resource chooses its instances, a module what is in it. */
function chooses(asked: string, address: string): boolean {
  return address.startsWith(asked) && ["", ".", "["].includes(address.charAt(asked.length));
}

function known(planned: readonly string[], { prior_state, configuration }: PlanDocument): string[] {
  const state = isObject(prior_state) ? [...resourcesOf(prior_state.values)].map(({ address }) => address) : [];
  const root = isObject(configuration) ? configuration.root_module : null;
  return [...planned, ...state, ...configured(root, "")];
}

/** Addresses of what a module configures, and of the modules it calls. */
function configured(module: unknown, prefix: string): string[] {
  if (!isObject(module)) return [];
  const resources = Array.isArray(module.resources) ? module.resources : [];
  const own = resources.flatMap((resource) =>
    isObject(resource) && typeof resource.address === "string" ? [prefix + resource.address] : [],
  );
  const calls = Object.entries(isObject(module.module_calls) ? module.module_calls : {});
  const inner = calls.flatMap(([name, call]) => {
    const address = `${prefix}module.${name}`;
    return [address, ...configured(isObject(call) ? call.module : null, `${address}.`)];
  });
  return [...own, ...inner];
}
