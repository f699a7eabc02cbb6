import type { RunContext, RunIdentity } from "../../src/core/runs/protocol.ts";
import { encodings, encodingsOfBytes, withItsLines } from "./engineForms.ts";
import { collectSensitive } from "./sensitiveValues.ts";
import { carriedOut } from "./shellForms.ts";

/** A value this short is no secret, and hiding it would shred every log. */
const MIN_SECRET_BYTES = 3;
/** Parts of a secret must be long enough not to hit ordinary text. */
const MIN_PART_BYTES = 8;

/**
 * Every secret value of a run context, also what its variables are by now. A user name alone is none, but what git
 * sends is built from both.
 */
export function secretsOf(context: RunContext): string[] {
  const environment = context.environment.filter((variable) => variable.secret).map((variable) => variable.value);
  const today = (context.changed_since_plan ?? []).flatMap(({ secret_now }) => secret_now ?? []);
  const cloud = context.runtime_credentials.flatMap(({ profiles }) =>
    Object.values(profiles).flatMap((profile) => Object.values(profile)),
  );
  const scm = context.scm_credentials;
  const logins = scm === null ? [] : [scm, ...(scm.owner === undefined ? [] : [scm.owner])];
  const git = logins.flatMap(({ username, password }) => [password, `${username}:${password}`]);
  const inUrl = context.source.type === "local" ? [] : urlPassword(context.source.repository_url);
  const state = context.state?.token ?? null;
  const identities = identitySecrets(context.identities ?? []);
  return [...environment, ...today, ...cloud, ...git, ...inUrl, ...identities, ...(state === null ? [] : [state])];
}

/** A token, and its signature: what is before that says who the run is, and proves nothing. */
export function identitySecrets(identities: readonly Pick<RunIdentity, "token">[]): string[] {
  return [...new Set(identities.map(({ token }) => token))].flatMap((token) => [token, token.split(".").at(-1) ?? ""]);
}

/**
 * What has to be looked for to find a secret in output: itself, its lines and parts, and what is no escaping of them.
 * Longest first, without doubles.
 */
export function secretForms(secrets: readonly string[]): Buffer[] {
  const forms = new Map<string, Buffer>();
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      if (form.length >= MIN_SECRET_BYTES) forms.set(form.toString("latin1"), form);
    }
  }
  return [...forms.values()].sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): Buffer[] {
  const trimmed = secret.trim();
  const parts = partsOf(secret).filter((part) => Buffer.byteLength(part) >= MIN_PART_BYTES);
  const values = new Set([secret, trimmed, ...parts]);
  const printed = carriedOut(secret).flatMap((bytes) => encodingsOfBytes(bytes, MIN_PART_BYTES));
  return [...values]
    .filter((value) => Buffer.byteLength(value) >= MIN_SECRET_BYTES)
    .flatMap(encodings)
    .concat(printed);
}

/** The lines of a key, and what is in a key file of JSON: engines show both laid out anew. */
function partsOf(secret: string): string[] {
  const texts = new Set<string>();
  collectSensitive(secret, true, texts);
  return [...texts].flatMap(withItsLines);
}

function urlPassword(url: string): string[] {
  const password = URL.parse(url)?.password ?? "";
  if (password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
