/** Identities on a real runner: renewed in their files, hidden in the log, gone after it (docs/rules/identity.md). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { decodeJwt } from "jose";
import { afterAll, afterEach, expect, vi } from "vitest";
import { LogChunks } from "../../src/core/logs/logChunks.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { create } from "../support/fixtures.ts";
import { test as identityTest, type World } from "../support/identitiesTest.ts";
import {
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  temporaryDirectory,
} from "../support/runnerProcess.ts";

const LIFETIME_MS = 6_000;
const WAIT = { timeout: 60_000, interval: 50 };
vi.setConfig({ testTimeout: 120_000 });

const test = identityTest.override("app", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const identity = { lifetimeMs: LIFETIME_MS, keyRotationMs: 2_592_000_000 };
  const app = await startApp(database, { hints: true, settings: { identity } });
  onCleanup(() => app.close());
  return app;
});

let runner: RunnerProcess | undefined;
afterEach(async () => {
  runner?.child.kill("SIGTERM");
  await runner?.stop("SIGINT");
  runner = undefined;
});
afterAll(removeTemporaryDirectories);

/** A stack whose engine does this at `plan`: it stands in for any tool that a stack's code may start. */
async function planning({ app, org, stackWith }: World, script: readonly string[]) {
  const { url, commit } = commitFiles({ "show.sh": `${script.join("\n")}\nexit 1\n`, "main.tf": "" });
  const role = (name: string) => ({ name, role_arn: `arn:aws:iam::123456789012:role/${name}`, use_in_previews: true });
  const stackKey = await stackWith(
    {
      identity_files: {
        files: [{ name: "one", audience: "tests.example", variable: "ONE_TOKEN_FILE", use_in_previews: true }],
      },
      aws_identity: { audience: "sts.amazonaws.com", roles: [role("default"), role("other")] },
      vault_identity: { address: "https://vault.example", audience: "vault", use_in_previews: true },
    },
    { repository_url: url, state_mode: "own" },
  );
  const engine = path.join(temporaryDirectory("engine"), "terraform");
  writeFileSync(
    engine,
    `#!/bin/sh\n[ "$1" = version ] && echo "Terraform v1.11.4" && exit 0\n[ "$1" = plan ] && exec sh ./show.sh\n[ "$1" = show ] && echo '{"format_version":"1.0"}'\nexit 0\n`,
    { mode: 0o755 },
  );
  const deployment = await create(app.service, stackKey, { commitSha: commit });
  runner = new RunnerProcess(
    { url: app.baseUrl, groupId: org.id as never, privateKey: org.privateKeyPem },
    {
      RUNNER_TERRAFORM_PATH: engine,
    },
  );
  return deployment;
}

async function logOf(app: TestApp, { database }: World, deployment: string): Promise<string> {
  const chunks = await database.sql`
    select l.run_id, l.chunk_index, l.size, l.object_key from log_chunks l join runs r on r.id = l.run_id
    where r.deployment_id = ${deployment} and l.sealed order by 2`;
  const logs = new LogChunks({ db: database.db, objects: app.objects, keyring: app.keyring, graceMs: 900_000 });
  const texts = await Promise.all(
    chunks.map(({ run_id, chunk_index, size, object_key }) =>
      logs.sealedBytes(run_id, { index: chunk_index, size, objectKey: object_key } as never),
    ),
  );
  return Buffer.concat(texts).toString("utf8");
}

test("tokens are renewed in their files, each is hidden in the log and in no argument, and all are gone afterwards", async ({
  world,
  app,
}) => {
  const seen = temporaryDirectory("world");
  const deployment = await planning(world, [
    `cp "$ONE_TOKEN_FILE" ${seen}/token1; cp "$AWS_CONFIG_FILE" ${seen}/aws-config`,
    `echo "first $(cat "$ONE_TOKEN_FILE")"; echo "vault $TERRAFORM_VAULT_AUTH_JWT"`,
    `stat -c '%a' "$ONE_TOKEN_FILE" "$AWS_WEB_IDENTITY_TOKEN_FILE" "$(dirname "$ONE_TOKEN_FILE")" > ${seen}/modes`,
    `dirname "$ONE_TOKEN_FILE" > ${seen}/folder; env > ${seen}/env`,
    // A program that was started before the renewal prints what came after it.
    `for n in 2 3; do while cmp -s "$ONE_TOKEN_FILE" ${seen}/token$((n-1)); do sleep 0.1; done; cp "$ONE_TOKEN_FILE" ${seen}/token$n; echo "later $(cat ${seen}/token$n)"; done`,
    `cut -d. -f3 "$ONE_TOKEN_FILE"; cut -d. -f3 ${seen}/token1 > ${seen}/signature`,
    `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c -f ${seen}/signature > ${seen}/arguments; touch ${seen}/looked`,
    `while [ ! -e ${seen}/go ]; do sleep 0.1; done`,
  ]);
  await expect.poll(() => existsSync(path.join(seen, "looked")), WAIT).toBe(true);
  const text = (name: string) => readFileSync(path.join(seen, name), "utf8");
  const tokens = [1, 2, 3].map((n) => text(`token${n}`));
  for (const token of tokens) expect(decodeJwt(token).phase).toBe("plan");
  expect(new Set(tokens.map((token) => decodeJwt(token).jti)).size).toBe(3);
  expect(text("modes").trim().split("\n")).toEqual(["600", "600", "700"]);
  const folder = text("folder").trim();
  expect(text("aws-config")).toContain(
    `[profile other]\nrole_arn = arn:aws:iam::123456789012:role/other\nrole_session_name = `,
  );
  expect(text("aws-config")).toContain(`web_identity_token_file = ${folder}/aws_identity-default\n`);
  expect(text("arguments").trim()).toBe("0");
  const [run] = await world.database.sql`select id from runs where deployment_id = ${deployment}`;
  writeFileSync(path.join(seen, "go"), "");
  await expect.poll(() => existsSync(folder), WAIT).toBe(false);
  await expect
    .poll(async () => (await world.database.sql`select status from runs where id = ${run?.id}`)[0]?.status, WAIT)
    .toBe("failure");
  const log = await logOf(app, world, deployment);
  expect(log).toContain("first ***");
  expect(log).toContain("vault ***");
  expect(log.match(/^later \*\*\*$/gm)).toHaveLength(2);
  const env = Object.fromEntries(
    text("env")
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
  for (const token of [...tokens, env.TERRAFORM_VAULT_AUTH_JWT as string]) {
    expect(log.includes(token)).toBe(false);
    expect(log.includes(token.split(".").at(-1) as string)).toBe(false);
  }
  expect(runner?.lines.some((line) => tokens.some((token) => JSON.stringify(line).includes(token)))).toBe(false);
});

test("when the service is away for a while, the renewal goes on once it is back, and the run with it", async ({
  world,
  app,
  database,
}) => {
  const seen = temporaryDirectory("world");
  await planning(world, [
    `cp "$ONE_TOKEN_FILE" ${seen}/token1; touch ${seen}/begun`,
    `while cmp -s "$ONE_TOKEN_FILE" ${seen}/token1; do sleep 0.1; done; cp "$ONE_TOKEN_FILE" ${seen}/token2; touch ${seen}/seen`,
  ]);
  await expect.poll(() => existsSync(path.join(seen, "begun")), WAIT).toBe(true);
  // No key opens any more: nothing can be signed.
  await database.sql`update identity_keys set id = uuidv7()`;
  await expect.poll(() => app.logged.some(({ msg }) => msg === "a request could not be served"), WAIT).toBe(true);
  await database.sql`delete from identity_keys`;
  await expect.poll(() => existsSync(path.join(seen, "seen")), WAIT).toBe(true);
  expect(decodeJwt(readFileSync(path.join(seen, "token2"), "utf8")).iss).toBe(app.baseUrl);
});
