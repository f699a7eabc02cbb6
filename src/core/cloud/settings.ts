import type { OpenedProject } from "./gcp/openedProjects.ts";
import type { ProviderType } from "./providerType.ts";

/** Which clouds stacks may use, and where they are asked for credentials. */
export type CloudSettings = {
  providers: readonly ProviderType[];
  credentialsLifetimeMs: number;
  /** Region whose STS is asked for AWS credentials. */
  stsRegion: string;
  stsEndpoint: string | undefined;
  iamCredentialsEndpoint: string;
  /** Whose accounts organizations may name; empty: none. */
  openedProjects: readonly OpenedProject[];
};
