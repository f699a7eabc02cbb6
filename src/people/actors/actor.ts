/** Who did something, by name: `{id, kind, name}` beside an id that is stored, in the statement that reads it. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";

export const ActorAnswer = v.pipe(
  v.object({
    id: v.string(),
    kind: v.picklist(ACTOR_KINDS),
    name: v.pipe(
      v.nullable(v.string()),
      v.metadata({ description: "As people know them; null once they are gone, or for who never had one" }),
    ),
  }),
  v.metadata({ ref: "Actor" }),
);
export type ActorAnswer = v.InferOutput<typeof ActorAnswer>;

const UUID = sql.raw("'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'");

/** A column for the actor of this id; null without one. Without a stored kind the id tells: an account's is a UUID. */
export function actorColumn(id: SQL, kind?: SQL): SQL {
  // No alias that the statement around it may use for a table of its own.
  const account = sql`${id} ~ ${UUID}`;
  const known = kind ?? sql`case when ${account} then 'service_account' else 'user' end`;
  return sql`case when ${id} is not null then jsonb_build_object('id', ${id}, 'kind', ${known}, 'name', coalesce(
    (select coalesce(actor_user.display_name, actor_user.login) from users actor_user where actor_user.id = ${id}),
    (select actor_account.name from service_accounts actor_account
      where actor_account.id = case when ${account} then ${id}::uuid end))) end`;
}
