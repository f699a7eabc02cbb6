import { expect, it } from "vitest";
import { otherWriters, WRITER } from "./checkWriters.ts";

it.each([
  ["a statement", "sql`\n  with e as (Insert  into\n domain_events (id) select 1) select 1`", true],
  ["a statement with a schema", "sql`insert into public.domain_events (id) values (1)`", true],
  ["the query builder", "await tx.insert(domainEvents).values(row)", true],
  ["a read", "sql`select id from domain_events`", false],
  ["another table", "sql`insert into domain_events_seen (id) values (1)`", false],
])("%s", (_what, text, counts) => {
  const others = otherWriters([WRITER, "src/a.ts", "src/a.test.ts"], () => text);
  expect(others).toEqual(counts ? ["src/a.ts"] : []);
});
