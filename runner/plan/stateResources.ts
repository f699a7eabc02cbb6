import { isObject } from "../output/sensitiveValues.ts";

/** A resource or data source as the engine's JSON shows it, in a plan's values and in a state alike. */
export interface StateResource {
  address: string;
  mode: "managed" | "data";
  type: string;
  provider: string;
  values: Record<string, unknown>;
  /** The shape of the values, with `true` where one is sensitive. */
  marks: unknown;
}

/** Every resource of a `values` object (`planned_values`, or `values` of a state), those of child modules too. */
export function* resourcesOf(values: unknown): Generator<StateResource, void> {
  for (const resource of objectsOf(values)) {
    // A deposed object has the address of the one that replaced it.
    if (isObject(resource) && resource.deposed_key !== undefined) continue;
    const read = stateResource(resource);
    if (read !== null) yield read;
  }
}

/** Values and marks of all objects of a `values` object, those that were replaced and not destroyed yet included. */
export function* markedValuesOf(values: unknown): Generator<Pick<StateResource, "values" | "marks">, void> {
  for (const resource of objectsOf(values)) {
    if (isObject(resource) && isObject(resource.values))
      yield { values: resource.values, marks: resource.sensitive_values };
  }
}

function* objectsOf(values: unknown): Generator<unknown, void> {
  const modules: unknown[] = isObject(values) ? [values.root_module] : [];
  for (let module = modules.pop(); module !== undefined; module = modules.pop()) {
    if (!isObject(module)) continue;
    if (Array.isArray(module.child_modules)) modules.push(...module.child_modules);
    if (Array.isArray(module.resources)) yield* module.resources;
  }
}

function stateResource(resource: unknown): StateResource | null {
  if (!isObject(resource)) return null;
  const { address, mode, type, provider_name: provider, values, sensitive_values: marks } = resource;
  if (typeof address !== "string" || typeof type !== "string") return null;
  if (mode !== "managed" && mode !== "data") return null;
  return {
    address,
    mode,
    type,
    provider: typeof provider === "string" ? provider : "",
    values: isObject(values) ? values : {},
    marks,
  };
}
