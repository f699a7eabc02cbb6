import type { Egress } from "../../platform/egress/egress.ts";
import { awsProvider } from "./aws/provider.ts";
import { googleProvider } from "./gcp/provider.ts";
import type { CloudConfig, RuntimeProvider, RuntimeProviders } from "./provider.ts";
import type { ProviderType } from "./providerType.ts";
import type { CloudSettings } from "./settings.ts";

/** The providers that `RUNTIME_PROVIDERS` names. Nothing is asked of a cloud before it is needed. */
export function openRuntimeProviders(settings: CloudSettings, egress: Pick<Egress, "request">): RuntimeProviders {
  const make = { cloud_a: awsProvider, cloud_b: googleProvider };
  // Each provider is handed only configs that its own parser made, which the map's type cannot say.
  const opened = settings.providers.map((type) => [type, make[type](settings, egress)] as const);
  return new Map(opened as unknown as [ProviderType, RuntimeProvider<CloudConfig>][]);
}
