/** The way to Postgres (docs/operations.md#the-way-to-postgres). */
import { chown, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { HintListener } from "../../src/core/dispatch/pendingHints.ts";
import { startPostgres } from "../../src/main/dev/postgres.ts";
import { connect } from "../../src/platform/db/client.ts";
import { migrate } from "../../src/platform/db/migrate.ts";
import { LOCAL_AUTHORITY, LOCAL_CERTIFICATE, LOCAL_KEY } from "../support/localCertificate.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const test = databaseTest().extend("world", { scope: "file" }, async ({ folder }, { onCleanup }) => {
  const dataDir = join(folder, "pg");
  // Made once without, so that its files lie where the server may read them.
  await (await startPostgres({ dataDir, fast: true })).stop();
  const { uid, gid } = await stat(dataDir);
  const [certificate, key, authority] = [
    join(dataDir, "server.crt"),
    join(dataDir, "server.key"),
    join(folder, "ca.pem"),
  ];
  for (const [file, text] of [
    [certificate, LOCAL_CERTIFICATE],
    [key, LOCAL_KEY],
  ] as const) {
    await writeFile(file, text, { mode: 0o600 });
    await chown(file, uid, gid);
  }
  await writeFile(authority, LOCAL_AUTHORITY);
  const server = await startPostgres({ dataDir, fast: true, settings: ["ssl=on"] });
  onCleanup(() => server.stop());
  await server.createDatabase("svc");
  const at = (host: string, query: string) => {
    const url = new URL(`${server.url("svc")}?${query}`);
    url.hostname = host;
    return url.href;
  };
  /** Whether the connection is encrypted, or why there is none. */
  async function way(host: string, query: string): Promise<boolean | string> {
    const { $client: client } = connect(at(host, query), { max: 1 });
    try {
      const [row] = await client.unsafe("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      return row?.ssl;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await client.end({ timeout: 0 });
    }
  }
  return { at, way, authority };
});

test("with TLS only a certificate that an authority vouches for, and for this very host", async ({ world }) => {
  const { way, authority } = world;
  expect(await way("localhost", `sslmode=verify-full&sslrootcert=${authority}`)).toBe(true);
  expect(await way("127.0.0.1", `sslmode=verify-full&sslrootcert=${authority}`)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  expect(await way("127.0.0.1", `sslmode=verify-ca&sslrootcert=${authority}`)).toBe(true);
  for (const mode of ["verify-full", "verify-ca"]) {
    expect(await way("localhost", `sslmode=${mode}`)).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  }
  expect(await way("localhost", "sslmode=require")).toBe(true);
  expect(await way("localhost", "")).toBe(false);
});

test("migrations and hints go the same way", async ({ database, world }) => {
  const { at, authority } = world;
  const checked = `sslmode=verify-full&sslrootcert=${authority}`;
  await expect(migrate(at("127.0.0.1", checked))).rejects.toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  expect((await migrate(at("localhost", checked))).applied.length).toBeGreaterThan(50);
  const heard: string[] = [];
  const listener = new HintListener(at("localhost", checked), () => void heard.push("runs"));
  listener.start();
  await waitFor(async () => heard.length > 0, { what: "the listener to have subscribed" });
  const { $client: client } = connect(at("localhost", "sslmode=disable"), { max: 1 });
  const rows = await client.unsafe(
    "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'svc-hints'",
  );
  expect(rows).toEqual([{ ssl: true }]);
  await client.end({ timeout: 1 });
  await listener.close();
  expect(database.url).toContain("127.0.0.1");
});
