/** That one kind which cannot be removed holds up no other, and that files wait for no row. */
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import type { Db } from "../../platform/db/client.ts";
import { type Retention, retire } from "./retire.ts";

const DAY = 86_400_000;
const KEEP: Retention = {
  logsMs: DAY,
  artifactsMs: DAY,
  treesMs: DAY,
  deploymentEventsMs: DAY,
  domainEventsMs: DAY,
  scmEventsMs: DAY,
  notificationDeliveriesMs: DAY,
  decisionsMs: DAY,
  idempotencyKeysMs: DAY,
  driftChecksMs: DAY,
};
const objects = { delete: async () => {} };
/** How a statement of each kind is told, in the order of the kinds. */
const KINDS = [
  "idempotency_keys",
  "scm_events",
  "notification_deliveries",
  "decisions",
  "domain_events",
  "deployment_events",
  "logs",
  "trees",
  "artifacts",
  "deployments",
];

/** A database in which nothing is due, and which refuses the statements of `broken`. */
function database(broken: string[]) {
  const asked: string[] = [];
  const execute = async (statement: Parameters<Db["execute"]>[0]) => {
    const { sql, params } = new PgDialect().sqlToQuery(statement as never);
    // The kinds that go by ended deployments share a text; their name is a parameter.
    const kind = KINDS.find((one) => params.includes(one)) ?? KINDS.find((one) => sql.includes(`from ${one} `)) ?? "";
    asked.push(kind);
    if (broken.includes(kind)) throw new Error(`${kind} cannot be removed`);
    return [];
  };
  return { db: { execute } as unknown as Db, asked };
}

it("asks for each kind in turn, what needs the object store late, and old checks after their files", async () => {
  const { db, asked } = database([]);
  expect(Object.values(await retire(db, objects, KEEP))).toEqual(KINDS.map(() => 0));
  expect(asked).toEqual(KINDS);
});

it.each(KINDS)("goes on when %s cannot be removed, and says so in the end", async (kind) => {
  const { db, asked } = database([kind]);
  await expect(retire(db, objects, KEEP)).rejects.toThrow(`${kind} cannot be removed`);
  expect(asked).toEqual(KINDS);
});

it("tells the first failure of several", async () => {
  const { db } = database(["artifacts", "decisions"]);
  await expect(retire(db, objects, KEEP)).rejects.toThrow("decisions cannot be removed");
});
