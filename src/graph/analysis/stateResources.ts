/**
 * The resources of a state as an engine wrote it, for the resource index. Their identities are a runner's to find: it
 * knows what the configuration's comments say.
 */
import { isRecord } from "../../platform/json/isRecord.ts";

type Row = { address: string; mode: "managed" | "data"; type: string; provider: string; realm: null; identity: null };

/** Null: unknown. @throws SyntaxError for text that is no JSON */
export function stateResources(text: string): Row[] | null {
  const state: unknown = JSON.parse(text);
  if (!isRecord(state) || !Array.isArray(state.resources)) return null;
  return state.resources.filter(isRecord).flatMap(instancesOf);
}

function instancesOf({ module, mode, type, name, provider, instances }: Record<string, unknown>): Row[] {
  if (typeof type !== "string" || typeof name !== "string" || !Array.isArray(instances)) return [];
  const isData = mode === "data";
  const at = `${typeof module === "string" ? `${module}.` : ""}${isData ? "data." : ""}${type}.${name}`;
  const source = /provider\["([^"]+)"\]/.exec(String(provider))?.[1] ?? String(provider);
  return instances.filter(isRecord).flatMap(({ index_key: key, deposed }): Row[] => {
    if (deposed !== undefined && deposed !== "") return [];
    const address = key === undefined || key === null ? at : `${at}[${JSON.stringify(key)}]`;
    return [{ address, mode: isData ? "data" : "managed", type, provider: source, realm: null, identity: null }];
  });
}
