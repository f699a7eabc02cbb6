/** Who calls as far as the request itself says: the token it brings and the address it comes from. */
import type { Context } from "hono";
import { bearerToken } from "../../http/authenticate.ts";
import { clientKey } from "../../http/clientAddress.ts";
import type { Bearer } from "../runnerIdentity/admission.ts";
import type { RunnerDeps } from "./deps.ts";

export function bearerOf({ trustedProxies }: RunnerDeps, c: Context): Bearer {
  return { token: bearerToken(c), address: clientKey(c, trustedProxies) };
}

/** Null where there is no connection to ask. */
export function clientAddress({ trustedProxies }: RunnerDeps, c: Context): string | null {
  const key = clientKey(c, trustedProxies);
  return key === "unknown" ? null : key;
}
