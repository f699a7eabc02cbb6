import { isObject, markAt } from "../output/sensitiveValues.ts";
import type { StateResource } from "../plan/stateResources.ts";
import type { CloudIdentity } from "./resourceIdentity.ts";
import { REMOTE_STATE_TYPE, stateLocation } from "./stateLocation.ts";

const IDENTITY_TAG = "svc:resource-identity-id";
const REALM_TAG = "svc:resource-identity-realm";
/** Of identities that a tag gives in no realm: one organization gives them all, so they are one realm. */
const DECLARED_REALM = "declared";

const TAG_ATTRIBUTES = ["tags_all", "tags", "labels"];
const ACCOUNT_ATTRIBUTES = ["account_id", "owner_id", "project", "project_id", "subscription_id"];
const PLACE_ATTRIBUTES = ["region", "location"];
/** Types whose `arn` is not their own but that of what they point to. */
const ARN_OF_ANOTHER = new Set(["aws_cloudwatch_event_target"]);
/** Names that say where they are: ARNs, paths from a subscription, project, folder or organization, and URLs. */
const SELF_SCOPED = /^(?:arn:|\/subscriptions\/|(?:projects|folders|organizations)\/|https:\/\/)/i;
/** Random enough that no two resources of one type share it: `vpc-0a1b2c3d`, a UUID, a long number. */
const RANDOM = /^[a-z]+-[0-9a-f]{8,}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^[0-9a-f]{16,}$/i;
/** As many as the service keeps. */
const MAX_CHARACTERS = 1_024;

/**
 * Realm and identity of a resource, or null when nothing says what it is. A short name with no account around it is
 * nothing: two stacks with a `default/web` in two clusters would seem to share it, and a wrong edge is worse than none.
 * @param declaredRealm of the comment `svc:resource-identity-realm`, or null
 */
export function cloudIdentity(resource: StateResource, declaredRealm: string | null): CloudIdentity | null {
  const realm = tag(resource, REALM_TAG) ?? declaredRealm;
  const tagged = tag(resource, IDENTITY_TAG);
  if (tagged !== null) return { realm: realm ?? DECLARED_REALM, identity: tagged };
  const { type, values, marks } = resource;
  if (type === REMOTE_STATE_TYPE)
    return stateLocation(values.backend, values.config, markAt(marks, "config"), values.workspace);
  const own = [arn(resource), attribute(resource, "id"), attribute(resource, "self_link")];
  const scoped = own.find((name) => name !== null && SELF_SCOPED.test(name)) ?? null;
  const id = attribute(resource, "id");
  const identity = scoped === null ? id : normalized(scoped);
  if (identity === null) return null;
  // The type belongs to the realm: a bucket and its policy have the same id.
  if (realm !== null) return { realm: `${realm} ${type}`, identity };
  const base = `${resource.provider} ${type}`;
  if (scoped !== null) return { realm: base, identity };
  const account = first(resource, ACCOUNT_ATTRIBUTES);
  if (account === null) return RANDOM.test(identity) ? { realm: base, identity } : null;
  const place = first(resource, PLACE_ATTRIBUTES);
  return { realm: [base, account, place].filter((part) => part !== null).join(" "), identity };
}

function arn(resource: StateResource): string | null {
  return ARN_OF_ANOTHER.has(resource.type) ? null : attribute(resource, "arn");
}

/** That cloud compares its paths without regard to case, and its own answers differ in it. */
function normalized(name: string): string {
  return /^\/subscriptions\//i.test(name) ? name.toLowerCase() : name;
}

function first(resource: StateResource, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = attribute(resource, key);
    if (value !== null) return value;
  }
  return null;
}

/** A text of the resource that is not sensitive. */
function attribute({ values, marks }: StateResource, key: string): string | null {
  return markAt(marks, key) === true ? null : usable(values[key]);
}

function tag({ values, marks }: StateResource, key: string): string | null {
  for (const name of TAG_ATTRIBUTES) {
    const tags = values[name];
    if (!isObject(tags) || !Object.hasOwn(tags, key) || markAt(markAt(marks, name), key) === true) continue;
    const value = usable(tags[key]);
    if (value !== null) return value;
  }
  return null;
}

function usable(value: unknown): string | null {
  if (typeof value !== "string" || value === "" || value.length > MAX_CHARACTERS) return null;
  return /\p{Cc}/u.test(value) || !value.isWellFormed() ? null : value;
}
