/** Statuses that are written out in SQL, for the sake of partial indexes, are those that the run's own table means. */
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import { HOLDS } from "../runners/removeRunner.ts";
import { isAccepted, RUN_STATUSES } from "../runs/lifecycle.ts";
import { IN_FLIGHT_OF_GROUP, IN_FLIGHT_OF_ORG, isInFlight, ROOM_FOR_CHECKS } from "./inFlight.ts";

const statusesIn = (fragment: SQL) =>
  [...new PgDialect().sqlToQuery(fragment).sql.matchAll(/'([a-z_]+)'/g)].map(([, status]) => status);
const claimed = RUN_STATUSES.filter((status) => status === "assigned" || isAccepted(status));

it.each([
  ["is in a runner's hands", isInFlight(sql`r.status`)],
  ["counts against its organization's cap", IN_FLIGHT_OF_ORG],
  ["counts against its group's capacity", IN_FLIGHT_OF_GROUP],
  ["counts against what its group gives to checks", ROOM_FOR_CHECKS],
])("a run %s from its claim to its end", (_, fragment) =>
  expect(statusesIn(fragment).sort()).toEqual([...claimed].sort()),
);

it("a run keeps its runner's row while it is accepted, and assigned only as long as its lease", () => {
  const [accepted = "", assigned = ""] = new PgDialect().sqlToQuery(HOLDS).sql.split(" or ");
  expect([...accepted.matchAll(/'([a-z_]+)'/g)].map(([, status]) => status)).toEqual(RUN_STATUSES.filter(isAccepted));
  expect(assigned.replace(/\s+/g, " ")).toContain("r.status = 'assigned' and r.assigned_expires_at > svc_now()");
});
