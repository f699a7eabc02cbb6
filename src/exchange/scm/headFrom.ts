/** How the commit of a branch is looked up: by its integration's host, else by git with checked addresses. */

import type { HeadOf } from "../../core/deployments/head.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { TenantGate } from "../../platform/egress/tenantGate.ts";
import type { Hosts } from "./host/hosts.ts";
import { resolveHead } from "./resolveCommit.ts";
import { headOf } from "./source.ts";

/** Processes of git at once. */
const GIT = { perTenant: 4, total: 16 };

/** @param gitWaitMs how long a lookup waits for its turn to start git, before it is refused */
export function headFrom(
  { gitAllowProtocol, gitWaitMs = 5_000 }: { gitAllowProtocol: string[]; gitWaitMs?: number },
  { db, egress, hosts }: { db: Db; egress: Pick<Egress, "checkHost">; hosts: Hosts },
): HeadOf {
  const settings = {
    allowProtocol: gitAllowProtocol,
    turns: new TenantGate({ ...GIT, waitMs: gitWaitMs }),
    checkHost: (host: string, port: number | null) => egress.checkHost(host, port ?? 0),
    headAtHost: (...asked: Parameters<HeadOf>) => headOf(db, hosts, ...asked),
  };
  return (stack, named) => resolveHead(settings, stack, named);
}
