/** How the commit of a branch is looked up: by its integration's host, else by git with checked addresses. */
import type { Db } from "../db/client.ts";
import type { HeadOf } from "../deployments/head.ts";
import type { Egress } from "../egress/egress.ts";
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
    headAtHost: (repository: Parameters<HeadOf>[0]) => headOf(db, hosts, repository),
  };
  return (stack) => resolveHead(settings, stack);
}
