/**
 * How an integration proves itself to its host and how the host's deliveries are checked: write-only, encrypted at
 * rest.
 */
import { createPrivateKey } from "node:crypto";
import * as v from "valibot";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { keptSecret, present, sealedAuth } from "../sealedIntegration/sealedAuth.ts";
import type { AuthSummary } from "./schema.ts";

const secret = (max: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(max));
/** It travels in a header: a line end that came along with the copy would break every call. */
const Token = v.pipe(secret(1_000), v.regex(/^[\x21-\x7e]+$/, "must be printable ASCII without blanks"));
const NumberText = v.pipe(v.string(), v.regex(/^\d{1,20}$/, "expected the number that the host shows, as text"));
const Pem = v.pipe(
  secret(10_000),
  v.check(isSigningKey, "expected the PEM of an RSA private key without a passphrase"),
);

/** On the wire. A secret that is left out keeps what is stored; `null` removes it. */
export const AuthConfigBody = v.strictObject({
  kind: v.picklist(["app", "token", "none"]),
  app_id: v.optional(NumberText),
  installation_id: v.optional(NumberText),
  private_key: v.optional(v.nullable(Pem)),
  token: v.optional(v.nullable(Token)),
  webhook_secret: v.optional(v.nullable(v.pipe(secret(500), v.minLength(16, "must hold at least 16 characters")))),
});
export type AuthConfigBody = v.InferOutput<typeof AuthConfigBody>;

/** As stored, sealed. */
export type AuthConfig = {
  kind: "app" | "token" | "none";
  app_id?: string;
  installation_id?: string;
  private_key?: string;
  token?: string;
  webhook_secret?: string;
};

export const NO_AUTH: AuthConfig = { kind: "none" };
const SECRETS = ["private_key", "token", "webhook_secret"] as const;

function isSigningKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

/**
 * What a write makes of what is stored. Secrets of another kind go.
 * @throws InvalidValueError when what the kind needs is neither sent nor stored
 */
export function mergeAuth(stored: AuthConfig, sent: AuthConfigBody): AuthConfig {
  const kept = (name: (typeof SECRETS)[number]) => keptSecret(sent[name], stored[name]);
  const all: Record<string, string | undefined> = {
    webhook_secret: kept("webhook_secret"),
    ...(sent.kind === "app" && {
      app_id: sent.app_id,
      installation_id: sent.installation_id,
      private_key: kept("private_key"),
    }),
    ...(sent.kind === "token" && { token: kept("token") }),
  };
  const needed = { app: ["app_id", "private_key"], token: ["token"], none: [] }[sent.kind];
  const missing = needed.filter((name) => all[name] === undefined);
  if (missing.length > 0) {
    throw new InvalidValueError(
      missing.map((name) => ({ field: `auth_config.${name}`, message: `is required for kind ${sent.kind}` })),
    );
  }
  return { kind: sent.kind, ...present(all) };
}

export function changedSecrets(before: AuthConfig | null, after: AuthConfig): string[] {
  return SECRETS.filter((name) => before?.[name] !== after[name]);
}

/**
 * A secret that nobody can read must not be had by sending it somewhere else: with another host it is given anew.
 * @throws InvalidValueError when the credential that calls carry is one that was stored before
 */
export function requireCredentialSent(auth: AuthConfig, sent: AuthConfigBody | undefined): void {
  const credential = ({ app: "private_key", token: "token", none: null } as const)[auth.kind];
  if (credential === null || typeof sent?.[credential] === "string") return;
  const message =
    "has to be sent again with another api_base_url, host_kind or host name, since it would go to another host";
  throw new InvalidValueError([{ field: `auth_config.${credential}`, message }]);
}

export function summaryOf(auth: AuthConfig): AuthSummary {
  return {
    kind: auth.kind,
    ...(auth.app_id !== undefined && { app_id: auth.app_id }),
    ...(auth.installation_id !== undefined && { installation_id: auth.installation_id }),
    has_private_key: auth.private_key !== undefined,
    has_token: auth.token !== undefined,
    has_webhook_secret: auth.webhook_secret !== undefined,
  };
}

const sealed = sealedAuth<AuthConfig>("scm_integrations");
export const sealAuth = sealed.seal;

/** @throws DecryptionError */
export async function openAuth(
  keyring: Pick<Keyring, "open">,
  { id, authConfig }: { id: string; authConfig: Buffer | null },
): Promise<AuthConfig> {
  return authConfig === null ? NO_AUTH : sealed.open(keyring, id, authConfig);
}
