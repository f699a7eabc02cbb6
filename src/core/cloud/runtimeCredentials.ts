/**
 * A run's cloud credentials, minted when a runner accepts it, with no lock and no connection held
 * (docs/rules/cloud.md#minted-at-accept).
 */
import type { Queryable } from "../../platform/db/client.ts";
import type { ContextSubject } from "../runnerProtocol/context.ts";
import type { RunContext } from "../runs/protocol.ts";
import { CloudRefusedError } from "./errors.ts";
import { integrationsOf } from "./integrations.ts";
import type { CloudConfig, RuntimeProviders } from "./provider.ts";

type Subject = Pick<
  ContextSubject,
  "orgId" | "stackKey" | "stackSlug" | "deploymentId" | "mode" | "originType" | "provenance" | "isForeign"
>;

/**
 * Credentials of every integration of the stack. Foreign code gets none; a preview, and whatever else runs code
 * that nobody merged, gets the roles meant for it (docs/rules/cloud.md#who-gets-none).
 * @throws CloudRefusedError when no runner could get them, CloudUnavailableError when a later accept may
 */
export async function runtimeCredentials(
  db: Queryable,
  providers: RuntimeProviders,
  subject: Subject,
  signal: AbortSignal,
): Promise<RunContext["runtime_credentials"]> {
  const access = accessOf(subject);
  if (access === "none") return [];
  const integrations = await integrationsOf(db, subject.stackKey);
  const minted = integrations.map(async ({ provider_type, config }) => {
    const provider = providers.get(provider_type);
    if (provider === undefined) {
      throw new CloudRefusedError(
        `This installation does not offer the cloud provider ${provider_type} any more.`,
        null,
      );
    }
    const settings: CloudConfig | null = access === "previews" ? provider.forPreview(config) : config;
    return settings === null ? [] : [{ provider_type, ...(await provider.mint(settings, subject, signal)) }];
  });
  return (await settled(minted)).flat();
}

/**
 * What of its stack's access a run may have: code that nobody merged gets what is meant for it, foreign code
 * nothing. What a person has promoted counts as merged.
 */
export function accessOf(subject: Pick<Subject, "isForeign" | "mode" | "originType" | "provenance">) {
  const { isForeign, mode, originType, provenance } = subject;
  if (isForeign) return "none";
  if (mode === "plan_unlocked" || originType === "pull_request") return "previews";
  return provenance === "pull_request" && originType !== "promoted_pull_request" ? "previews" : "all";
}

/** All of them, or the error that matters most: a refusal, since it is final, before an outage, which is not. */
export async function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(work);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (failures.length > 0) throw failures.find((error) => error instanceof CloudRefusedError) ?? failures[0];
  return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}
