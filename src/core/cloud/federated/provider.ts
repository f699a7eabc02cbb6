/** A cloud that trusts the service as an issuer: nothing is asked of it, so nothing of it can be away. */
import type { FederatedProvider } from "../provider.ts";
import type { IdentityType } from "../providerType.ts";
import { type FederatedConfigs, federatedForPreviews, parseFederated } from "./config.ts";
import { USES } from "./uses.ts";

export function federatedProvider<T extends IdentityType>(type: T): FederatedProvider<FederatedConfigs[T]> {
  return {
    parseConfig: (config) => parseFederated(type, config),
    assertOpen: async () => {},
    forPreview: (config) => federatedForPreviews(config) as FederatedConfigs[T] | null,
    authenticate: async () => {},
    uses: USES[type],
  };
}
