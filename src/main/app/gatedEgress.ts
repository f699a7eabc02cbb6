import { createEgress, type Egress, type OnRefused } from "../../platform/egress/egress.ts";
import { TenantGate } from "../../platform/egress/tenantGate.ts";
import type { Config } from "../config/settings.ts";

/** How long a request waits for a place to call another system from, before it is refused. */
const WAIT_MS = 2_000;

/** The way out of a program: one organization's slow hosts take no more than its own places. */
export function gatedEgress(
  config: Config["egress"],
  { onRefused, waitMs = WAIT_MS }: { onRefused?: OnRefused; waitMs?: number } = {},
): Egress {
  const gate = new TenantGate({ perTenant: config.perOrg, total: config.atOnce, waitMs });
  return createEgress(config, undefined, onRefused, gate);
}
