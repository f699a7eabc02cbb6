/** The analysis of a run: what its configuration declares, what its state holds, and what its plan changes. */
import type { PlanDocument } from "../plan/planDocument.ts";
import { isChange, outputChanges } from "../plan/planSummary.ts";
import { resourcesOf, type StateResource } from "../plan/stateResources.ts";
import { cloudIdentity } from "./cloudIdentity.ts";
import type { CommentScanner } from "./commentScanner.ts";
import type { DeclaredDependency } from "./dependencyComment.ts";
import type { IdentityDeclarations } from "./identityComments.ts";
import type { CloudIdentity } from "./resourceIdentity.ts";
import { OWN_STATE, OWN_STATE_TYPE, STATE_PROVIDER } from "./stateLocation.ts";

export interface AnalyzedResource {
  address: string;
  mode: "managed" | "data";
  type: string;
  provider: string;
  realm: string | null;
  identity: string | null;
  ignore: boolean;
}

/** A null section is unknown. */
export interface Analysis {
  version: 1;
  dependencies: { edges: DeclaredDependency[]; errors: string[] } | null;
  resources: { complete: boolean; items: AnalyzedResource[] } | null;
  changes: { resources: string[]; outputs: string[] } | null;
}

/** Shows no secret: replaces every known one in a text. */
export type Mask = (text: string) => string;

/** The service reads 64 MiB; room is left for the other sections. */
const MAX_RESOURCE_CHARACTERS = 48 * 1_048_576;
const MAX_CHANGES = 100_000;

export function dependenciesSection(scanner: CommentScanner, mask: Mask): NonNullable<Analysis["dependencies"]> {
  const isShown = ({ from_stack, from_resource, resource, file }: DeclaredDependency) =>
    [from_stack, from_resource, resource, file].every((text) => text === null || mask(text) === text);
  const hidden = scanner.edges.filter((edge) => !isShown(edge));
  // Masked it would be another name, and an edge to nowhere.
  const errors = hidden.map(({ file, line }) => `${file}:${line}: the comment holds a secret and declares nothing`);
  return { edges: scanner.edges.filter(isShown), errors: [...scanner.errors, ...errors].map(mask) };
}

/**
 * What the plan leaves in the state: managed resources as they will be, data sources as they were read. Planned with
 * targets or puts off, some may be missing.
 */
export function plannedResources(
  plan: PlanDocument,
  declarations: IdentityDeclarations,
  targeted: boolean,
  mask: Mask,
): NonNullable<Analysis["resources"]> {
  const found = new Map<string, StateResource>();
  const prior = (plan.prior_state as { values?: unknown } | undefined)?.values;
  for (const resource of resourcesOf(prior)) if (resource.mode === "data") found.set(resource.address, resource);
  for (const resource of resourcesOf(plan.planned_values)) found.set(resource.address, resource);
  const whole = !targeted && plan.deferred_changes.length === 0 && plan.complete !== false;
  return section(found.values(), declarations, whole, mask);
}

/** @param state the engine's JSON of it (`show -json`) */
export function stateResources(
  state: unknown,
  declarations: IdentityDeclarations,
  mask: Mask,
): NonNullable<Analysis["resources"]> {
  return section(resourcesOf((state as { values?: unknown } | null)?.values), declarations, true, mask);
}

/**
 * The resources and outputs that the plan changes; of a refresh, those found changed. Null, which is unknown and counts
 * as changed, when there are too many to list, or when a name holds a secret: masked it would be another name, and a
 * dependent of the true one would not follow.
 */
export function changesSection(plan: PlanDocument, isRefresh: boolean, mask: Mask): Analysis["changes"] {
  const changed = (isRefresh ? plan.resource_drift : plan.resource_changes).filter(isChange);
  const resources = new Set<string>();
  for (const { address, previous_address } of changed) {
    resources.add(address);
    if (previous_address !== undefined) resources.add(previous_address);
  }
  for (const { address } of plan.action_invocations) resources.add(address);
  const outputs = outputChanges(plan);
  if (resources.size + outputs.length > MAX_CHANGES) return null;
  if ([...resources, ...outputs].some((name) => mask(name) !== name)) return null;
  return { resources: [...resources].sort(), outputs: outputs.sort() };
}

/** The stack's own state among its resources; it changes with each output, since outputs are what others read of it. */
export function withOwnState(
  analysis: Analysis,
  location: CloudIdentity | null,
  declarations: IdentityDeclarations | null,
  mask: Mask,
): Analysis {
  if (location === null || declarations === null) return analysis;
  if (mask(location.identity) !== location.identity) {
    return { ...analysis, resources: analysis.resources && { ...analysis.resources, complete: false } };
  }
  const { ignore, contested } = declarations.of(OWN_STATE);
  const known = ignore || contested ? { realm: null, identity: null } : location;
  const state = {
    address: OWN_STATE,
    mode: "managed",
    type: OWN_STATE_TYPE,
    provider: STATE_PROVIDER,
    ...known,
    ignore,
  } as const;
  const { resources, changes } = analysis;
  return {
    ...analysis,
    resources: resources && { ...resources, items: [...resources.items, state] },
    changes: changes && {
      ...changes,
      resources: changes.outputs.length > 0 ? [...changes.resources, OWN_STATE] : changes.resources,
    },
  };
}

function section(
  resources: Iterable<StateResource>,
  declarations: IdentityDeclarations,
  whole: boolean,
  mask: Mask,
): NonNullable<Analysis["resources"]> {
  const items: AnalyzedResource[] = [];
  let complete = whole;
  let characters = 0;
  for (const resource of resources) {
    const { item, hidden } = analyzed(resource, declarations, mask);
    characters += JSON.stringify(item)?.length ?? 0;
    if (hidden) complete = false;
    if (item !== null && characters <= MAX_RESOURCE_CHARACTERS) items.push(item);
    else complete = false;
  }
  items.sort((a, b) => (a.address < b.address ? -1 : 1));
  return { complete, items };
}

/**
 * No item when the address itself holds a secret, as the key of a `for_each`; `hidden` also where its identity does.
 */
function analyzed(
  { address, mode, type, provider, values, marks }: StateResource,
  declarations: IdentityDeclarations,
  mask: Mask,
): { item: AnalyzedResource | null; hidden: boolean } {
  if (mask(address) !== address) return { item: null, hidden: true };
  const { ignore, realm, contested } = declarations.of(address);
  const known = ignore || contested ? null : cloudIdentity({ address, mode, type, provider, values, marks }, realm);
  const shown = known !== null && mask(known.realm) === known.realm && mask(known.identity) === known.identity;
  const cloud = shown ? { realm: known.realm, identity: known.identity } : { realm: null, identity: null };
  return { item: { address, mode, type, provider, ...cloud, ignore }, hidden: known !== null && !shown };
}
