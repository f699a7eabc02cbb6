/** What `docker-compose.yml` gives each program at Postgres (docs/operations.md#the-way-to-postgres). */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import postgres from "postgres";
import { expect, inject, test } from "vitest";
import { parse } from "yaml";
import { migrate, migrateExplore } from "../../src/platform/db/migrate.ts";

type Compose = {
  services: Record<string, { environment?: Record<string, string> }>;
  configs: { databases: { content: string } };
};

const compose = parse(await readFile(new URL("../../docker-compose.yml", import.meta.url), "utf8")) as Compose;

test("its role makes the whole schema in the databases that it owns, and is no superuser", async () => {
  const mark = `_${randomBytes(4).toString("hex")}`;
  const names = ["deployments", "explore", "temporal_visibility", "temporal", "svc"];
  const own = (text: string) => text.replace(new RegExp(`\\b(${names.join("|")})\\b(?!_)`, "g"), `$1${mark}`);
  const admin = postgres(inject("postgresUrl"), { max: 1, onnotice: () => {} });
  try {
    for (const statement of asPsql(compose.configs.databases.content)) await admin.unsafe(own(statement));
    const address = (database: string, role: string, password: string) => {
      const url = new URL(inject("postgresUrl"));
      Object.assign(url, { username: own(role), password, pathname: `/${own(database)}` });
      return url.href;
    };
    expect((await migrate(address("deployments", "svc", "of-0"))).applied.length).toBeGreaterThan(50);
    await migrateExplore(address("explore", "svc", "of-0"));
    const sql = postgres(address("deployments", "svc", "of-0"), { max: 1 });
    const [role] = await sql`select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = current_user`;
    expect(role).toEqual({ rolsuper: false, rolcreatedb: false, rolcreaterole: false });
    await sql.end();
    const stranger = postgres(address("deployments", "temporal", "of-1"), { max: 1 });
    await expect(stranger`select 1`).rejects.toMatchObject({ code: "42501" });
    await stranger.end();
  } finally {
    for (const database of names.slice(0, 4)) await admin`drop database if exists ${admin(own(database))} with (force)`;
    for (const role of ["svc", "temporal"]) await admin`drop role if exists ${admin(own(role))}`;
    await admin.end();
  }
});

test("no program but Postgres itself is given the superuser", () => {
  for (const [name, { environment = {} }] of Object.entries(compose.services)) {
    const given = JSON.stringify(environment);
    expect([name, /POSTGRES_PASSWORD|postgres:\/\/postgres/.test(given)]).toEqual([name, name === "postgres"]);
  }
});

/** The statements as psql sends them: with the variables that it reads from the environment. */
function asPsql(script: string): string[] {
  const variables = new Map<string, string>();
  const lines = script.split("\n").filter((line) => !line.startsWith("--"));
  for (const [, variable, name] of script.matchAll(/^\\getenv (\w+) (\w+)$/gm)) {
    expect(name).toMatch(/_DATABASE_PASSWORD$/);
    variables.set(`${variable}`, `of-${variables.size}`);
  }
  return lines
    .filter((line) => line !== "" && !line.startsWith("\\"))
    .map((line) => line.replace(/:'(\w+)'/g, (_, variable: string) => `'${variables.get(variable)}'`));
}
