/**
 * What of a state is another in the next one. Values are not shown: of what its providers' schemas call sensitive, a
 * state does not say that it is, whichever engine wrote it. Pure; parses whole states, so it belongs beside the event
 * loop.
 */
import { isRecord } from "../../platform/json/isRecord.ts";

export type StateChange = {
  kind: "resource" | "data" | "output";
  address: string;
  action: "add" | "change" | "destroy";
  attributes: string[];
};

export type ComparedStates = { items: StateChange[]; complete: boolean };

const MAX_ITEMS = 5_000;
const MAX_ATTRIBUTES = 100;

type Part = { kind: StateChange["kind"]; values: Record<string, unknown> };

/** @param before null for the first of all. @throws SyntaxError, TypeError for what is no state in clear text */
export function compareStates({ before, after }: { before: Uint8Array | null; after: Uint8Array }): ComparedStates {
  const old = before === null ? new Map<string, Part>() : partsOf(before);
  const now = partsOf(after);
  const items: StateChange[] = [];
  for (const [address, { kind, values }] of now) {
    const was = old.get(address);
    if (was === undefined) items.push({ kind, address, action: "add", attributes: [] });
    else {
      const attributes = differing(was.values, values);
      if (attributes.length > 0) items.push({ kind, address, action: "change", attributes });
    }
  }
  for (const [address, { kind }] of old)
    if (!now.has(address)) items.push({ kind, address, action: "destroy", attributes: [] });
  items.sort((a, b) => (a.address < b.address ? -1 : 1));
  return { items: items.slice(0, MAX_ITEMS), complete: items.length <= MAX_ITEMS };
}

function differing(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).slice(0, MAX_ATTRIBUTES);
}

function partsOf(bytes: Uint8Array): Map<string, Part> {
  const state: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  if (!isRecord(state) || !Array.isArray(state.resources)) throw new TypeError("a state that cannot be read");
  const parts = new Map<string, Part>();
  for (const resource of state.resources) if (isRecord(resource)) addInstances(parts, resource);
  for (const [name, output] of Object.entries(isRecord(state.outputs) ? state.outputs : {}))
    if (isRecord(output))
      parts.set(`output.${name}`, { kind: "output", values: { value: output.value, type: output.type } });
  return parts;
}

function addInstances(parts: Map<string, Part>, resource: Record<string, unknown>): void {
  const { module, mode, type, name, instances } = resource;
  const kind = mode === "data" ? "data" : "resource";
  const at = [module, mode === "data" ? "data" : null, type, name].filter((part) => typeof part === "string").join(".");
  for (const instance of Array.isArray(instances) ? instances : []) {
    if (!isRecord(instance)) continue;
    const { index_key: key, deposed, attributes, attributes_flat: flat } = instance;
    const index = key === undefined || key === null ? "" : `[${JSON.stringify(key)}]`;
    const values = [attributes, flat].find(isRecord) ?? {};
    parts.set(`${at}${index}${typeof deposed === "string" ? ` (deposed ${deposed})` : ""}`, { kind, values });
  }
}
