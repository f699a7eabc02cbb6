import type { Egress } from "../../platform/egress/egress.ts";
import { awsProvider } from "./aws/provider.ts";
import { federatedProvider } from "./federated/provider.ts";
import { googleProvider } from "./gcp/provider.ts";
import type { RuntimeProviders } from "./provider.ts";
import { IDENTITY_TYPES, type ProviderType } from "./providerType.ts";
import type { CloudSettings } from "./settings.ts";

/**
 * The providers that `RUNTIME_PROVIDERS` names, those of identities only where the service is an issuer. Nothing is
 * asked of a cloud before it is needed.
 */
export function openRuntimeProviders(
  settings: CloudSettings,
  egress: Pick<Egress, "request">,
  isIssuer = false,
): RuntimeProviders {
  const identities = isIssuer ? IDENTITY_TYPES.map((type) => [type, federatedProvider(type)] as const) : [];
  const made = new Map<ProviderType, unknown>([
    ["cloud_a", awsProvider(settings, egress)],
    ["cloud_b", googleProvider(settings, egress)],
    ...identities,
  ]);
  // Each provider is handed only configs that its own parser made, which the map's type cannot say.
  return new Map(settings.providers.flatMap((type) => (made.has(type) ? [[type, made.get(type)]] : []))) as never;
}
