/** Where browsers reach the service, and so what its cookies are called and which pages may send changes. */

import { isLoopbackHost } from "../../platform/hosts/loopback.ts";

export type BrowserOrigin = {
  /** Without a slash at its end, as it is configured. */
  baseUrl: string;
  /** Scheme, host and port, as browsers write it into the Origin header. */
  origin: string;
  /** False only on plain HTTP at a loopback address. */
  secure: boolean;
};

/**
 * Browsers refuse `__Host-` cookies on plain HTTP, so a developer's machine gets plain names. That is safe there alone:
 * nothing leaves the machine. Plain HTTP elsewhere keeps the strict cookies, which browsers then drop: nobody signs in.
 */
export function browserOrigin(publicBaseUrl: string): BrowserOrigin {
  const url = new URL(publicBaseUrl);
  return {
    baseUrl: publicBaseUrl,
    origin: url.origin,
    secure: url.protocol === "https:" || !isLoopbackHost(url.hostname),
  };
}
