/** Makes sure of what workflows need before the first can start: the namespace and its search attributes. */
import type { Client } from "@temporalio/client";
import protobuf from "@temporalio/proto";
import { SEARCH_ATTRIBUTES } from "../../../workflows/contract.ts";
import type { Temporal } from "./client.ts";
import { alreadyExists, isMissingNamespace, notOurs, unavailable } from "./errors.ts";

/** Which cluster and namespace this is: another one, or none of before, means that its data was lost. */
export type TemporalIdentity = { clusterId: string; namespaceId: string };

/** How long histories of closed workflows stay readable; the facts are in Postgres. */
const RETENTION_SECONDS = 7 * 86_400;
const CALL_MS = 5_000;
const KEYWORD = protobuf.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

/** Null when the namespace does not exist (yet). @throws TemporalUnavailable */
export function readIdentity({ sdk }: Pick<Temporal, "sdk">): Promise<TemporalIdentity | null> {
  return bounded(sdk, async () => {
    try {
      const { namespace } = sdk.options;
      const [cluster, described] = await Promise.all([
        sdk.workflowService.getClusterInfo({}),
        sdk.workflowService.describeNamespace({ namespace }),
      ]);
      return { clusterId: cluster.clusterId ?? "", namespaceId: described.namespaceInfo?.id ?? "" };
    } catch (error) {
      if (isMissingNamespace(error)) return null;
      throw error;
    }
  });
}

/**
 * Create what is missing. A cluster that keeps these to its administrators is left as it is.
 * @throws TemporalUnavailable
 */
export async function ensureNamespace({ sdk }: Pick<Temporal, "sdk">): Promise<void> {
  const { namespace } = sdk.options;
  await bounded(sdk, () =>
    unlessThere(
      sdk.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as never },
      }),
    ),
  );
  const { operatorService } = sdk.connection as { operatorService?: OperatorService };
  if (operatorService === undefined) return;
  await bounded(sdk, async () => {
    const present = await operatorService.listSearchAttributes({ namespace }).catch(ifNotOurs);
    const missing = SEARCH_ATTRIBUTES.filter((name) => present && present.customAttributes?.[name] === undefined);
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await unlessThere(operatorService.addSearchAttributes({ namespace, searchAttributes }));
  });
}

type OperatorService = import("@temporalio/client").OperatorService;

async function unlessThere(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!alreadyExists(error) && !notOurs(error)) throw error;
  }
}

function ifNotOurs(error: unknown): null {
  if (notOurs(error)) return null;
  throw error;
}

async function bounded<T>(sdk: Client, call: () => Promise<T>): Promise<T> {
  try {
    return await sdk.withDeadline(Date.now() + CALL_MS, call);
  } catch (error) {
    throw unavailable(error);
  }
}
