/** An operator vouches for what an organization says is its own. */
import { sql } from "drizzle-orm";
import { recordAudit } from "../../people/audit/record.ts";
import type { Db } from "../../platform/db/client.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { operator } from "./actor.ts";
import { parse, UsageError } from "./commandLine.ts";

export async function runApproveProof(args: string[], db: Db): Promise<unknown> {
  const [orgId, kind, name] = parse(args, {}, 3).positionals as [string, string, string];
  if (kind !== "domain" && kind !== "codehost_org") throw new UsageError("the kind is domain or codehost_org");
  const stored = kind === "domain" ? name.toLowerCase() : name;
  return inTransaction(db, async (tx) => {
    const [row] = await tx.execute<{ id: string }>(sql`
      insert into organization_proofs as p (org_id, kind, name, token, proven_at, proven_by)
      select id, ${kind}, ${stored}, uuidv7()::text, svc_now(), 'operator' from organizations where id::text = ${orgId} and not is_personal
      on conflict (org_id, kind, name) do update set proven_at = coalesce(p.proven_at, svc_now()), proven_by = coalesce(p.proven_by, 'operator')
      returning id`);
    if (row === undefined) throw new UsageError("there is no such organization, or it is a personal one");
    const details = { kind, name: stored, by: "operator" };
    await recordAudit(tx, { orgId, actor: operator(), action: "proof.confirm", resourceId: row.id, details });
    return { id: row.id, org_id: orgId, ...details };
  });
}
