/** How the commit of a branch is looked up: by its integration's host, else by git with checked addresses. */

import type { HeadOf } from "../../core/deployments/head.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Hosts } from "./host/hosts.ts";
import { resolveHead } from "./resolveCommit.ts";
import { headOf } from "./source.ts";

/** @param gitAllowProtocol transports git may use */
export function headFrom(
  { gitAllowProtocol }: { gitAllowProtocol: string[] },
  { db, egress, hosts }: { db: Db; egress: Pick<Egress, "checkHost">; hosts: Hosts },
): HeadOf {
  const settings = {
    allowProtocol: gitAllowProtocol,
    checkHost: (host: string, port: number | null) => egress.checkHost(host, port ?? 0),
    headAtHost: (...asked: Parameters<HeadOf>) => headOf(db, hosts, ...asked),
  };
  return (stack, named) => resolveHead(settings, stack, named);
}
