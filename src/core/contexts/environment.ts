/** The variables that contexts give to a run, read when a runner accepts it. */
import { sql } from "drizzle-orm";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { ContextSubject } from "../runnerProtocol/contextSubject.ts";
import type { RunContext } from "../runs/protocol.ts";
import { openVariable, type StoredVariable } from "./variables.ts";

type Row = StoredVariable & { context_id: string };

/**
 * Every variable of the organization's contexts whose selector is contained in the stack's labels. Contexts count in
 * the code-point order of their names and the later one wins; secrets that lose are not even decrypted. Code that is
 * foreign gets no secret: whoever may open a pull request may have written it, and a plan runs what it says.
 * @throws DecryptionError
 */
export async function contextEnvironment(
  db: Queryable,
  keyring: Keyring,
  { orgId, labels, isForeign }: Pick<ContextSubject, "orgId" | "labels" | "isForeign">,
): Promise<RunContext["environment"]> {
  const rows = await db.execute<Row>(sql`
    select distinct on (v.name collate "C") v.context_id, v.name, v.secret, v.value, v.sealed
    from contexts c join context_variables v on v.context_id = c.id
    where c.org_id = ${orgId} and ${JSON.stringify(labels)}::jsonb @> c.selector
    order by v.name collate "C", c.name collate "C" desc`);
  // After the choice, or the value of a context that lost would take the secret's place.
  const visible = rows.filter(({ secret }) => !(secret && isForeign));
  return Promise.all(
    visible.map(async (row) => ({
      name: row.name,
      value: await openVariable(keyring, row.context_id, row),
      secret: row.secret,
    })),
  );
}

/** The secrets among them, of a stack as it is now. @throws DecryptionError */
export async function contextSecrets(
  db: Queryable,
  keyring: Keyring,
  stack: Pick<ContextSubject, "orgId" | "labels">,
): Promise<string[]> {
  const environment = await contextEnvironment(db, keyring, { ...stack, isForeign: false });
  return environment.filter(({ secret }) => secret).map(({ value }) => value);
}
