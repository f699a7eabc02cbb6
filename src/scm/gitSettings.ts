/** How the commit of a branch is looked up, from a program's settings: by its integration's host, else by git with checked addresses. */
import type { Db } from "../db/client.ts";
import type { Egress } from "../egress/egress.ts";
import type { Hosts } from "./host/hosts.ts";
import type { GitSettings } from "./resolveCommit.ts";
import { headOf } from "./source.ts";

export function gitSettings(
  { gitAllowProtocol }: { gitAllowProtocol: string[] },
  { db, egress, hosts }: { db: Db; egress: Pick<Egress, "checkHost">; hosts: Hosts },
): GitSettings {
  return {
    allowProtocol: gitAllowProtocol,
    checkHost: (host, port) => egress.checkHost(host, port ?? 0),
    headAtHost: (repository) => headOf(db, hosts, repository),
  };
}
