import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import { inScope, type ListScope, seesAnything } from "./listScope.ts";

const nothing: ListScope = { SuperAdmin: false, Member: false, HasUnscoped: false, Patterns: [], Groups: [] };

/** Who sees all rows, some by their names, or none. */
it.each<[string, Partial<ListScope>, "all" | "named" | "none"]>([
  ["a stranger", {}, "none"],
  ["a stranger who would hold grants", { HasUnscoped: true, Patterns: ["net-%"], Groups: ["prod"] }, "none"],
  ["a member without grants", { Member: true }, "none"],
  ["a holder of group grants alone", { Member: true, Groups: ["prod"] }, "none"],
  ["a holder of patterns", { Member: true, Patterns: ["net-%"] }, "named"],
  ["a holder of patterns and groups", { Member: true, Patterns: ["net-%"], Groups: ["prod"] }, "named"],
  ["a holder of an untargeted grant", { Member: true, HasUnscoped: true, Patterns: ["net-%"] }, "all"],
  ["a super-admin who is no member", { SuperAdmin: true }, "all"],
])("%s", (_, held, rows) => {
  const scope = { ...nothing, ...held };
  expect(seesAnything(scope)).toBe(rows !== "none");
  const { sql: predicate, params } = new PgDialect().sqlToQuery(inScope(scope, sql`s.name`));
  expect(predicate).toBe({ all: "true", none: "false", named: "s.name like any($1::text[])" }[rows]);
  expect(params).toEqual(rows === "named" ? [["net-%"]] : []);
});
