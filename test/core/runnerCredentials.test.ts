/**
 * Cloud credentials on a real runner: there during its plan, and gone after it (docs/rules/cloud.md#minted-at-accept).
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect } from "vitest";
import { LogChunks } from "../../src/core/logs/logChunks.ts";
import { create } from "../support/fixtures.ts";
import { commitFiles, RunnerProcess, temporaryDirectory } from "../support/runnerProcess.ts";
import { EMAIL, ROLES, test, type World } from "../support/runtimeCredentialsTest.ts";

describe("on a real runner", () => {
  const WAIT = { timeout: 60_000, interval: 50 };
  let process: RunnerProcess | undefined;
  afterEach(async () => {
    process?.child.kill("SIGTERM");
    await process?.stop("SIGINT");
    process = undefined;
  });

  /** A plan that shows what it finds and waits until it may go on. */
  async function planning({ api, group, stackWith }: World) {
    const seen = temporaryDirectory("world");
    const script = [
      `cp "$AWS_SHARED_CREDENTIALS_FILE" ${seen}/credentials`,
      `stat -c '%a' "$AWS_SHARED_CREDENTIALS_FILE" "$AWS_CONFIG_FILE" "$CLOUDSDK_AUTH_ACCESS_TOKEN_FILE" "$(dirname "$AWS_CONFIG_FILE")" > ${seen}/modes`,
      `dirname "$AWS_CONFIG_FILE" > ${seen}/folder`,
      `echo "token $GOOGLE_OAUTH_ACCESS_TOKEN"; cat "$AWS_SHARED_CREDENTIALS_FILE"`,
      `printf %s "$GOOGLE_OAUTH_ACCESS_TOKEN" > ${seen}/token`,
      `touch ${seen}/seen`,
      `while [ ! -e ${seen}/go ]; do sleep 0.1; done`,
    ];
    const { url, commit } = commitFiles({
      "show.sh": `${script.join("\n")}\nexit 1\n`,
      "main.tf": `data "external" "never" {}\n`,
    });
    const stackKey = await stackWith(
      { cloud_a: ROLES, cloud_b: { service_account_email: EMAIL } },
      { repository_url: url, state_mode: "own" },
    );
    // The engine stands in for any tool that a stack's code may start; it gets the engine's own environment.
    const engine = path.join(temporaryDirectory("engine"), "terraform");
    writeFileSync(
      engine,
      `#!/bin/sh\n[ "$1" = version ] && echo "Terraform v1.11.4" && exit 0\n[ "$1" = plan ] && exec sh ./show.sh\n[ "$1" = show ] && echo '{"format_version":"1.0"}'\nexit 0\n`,
      { mode: 0o755 },
    );
    const deployment = await create(api.service, stackKey, { commitSha: commit });
    process = new RunnerProcess(
      { url: api.base.replace(/\/api\/v1$/, ""), groupId: group.id as never, privateKey: group.privateKeyPem },
      { RUNNER_TERRAFORM_PATH: engine },
    );
    await expect.poll(() => existsSync(path.join(seen, "seen")), WAIT).toBe(true);
    const text = (name: string) => readFileSync(path.join(seen, name), "utf8");
    return { seen, text, folder: text("folder").trim(), deployment };
  }

  test("the profiles are there during the plan, private, masked in the log, and gone after it", async ({ world }) => {
    const { database } = world;
    const { seen, text, folder, deployment } = await planning(world);
    expect(text("modes").trim().split("\n")).toEqual(["600", "600", "600", "700"]);
    expect(statSync(folder).isDirectory()).toBe(true);
    const sections = text("credentials").match(/^\[.+\]$/gm);
    expect(sections?.sort()).toEqual(["[admin]", "[default]"]);
    const secrets = [...text("credentials").matchAll(/^aws_\w+ = (.+)$/gm)].map(([, value]) => value as string);
    expect(secrets).toHaveLength(6);
    writeFileSync(path.join(seen, "go"), "");
    await expect
      .poll(async () => (await database.sql`select status from deployments where id = ${deployment}`)[0]?.status, WAIT)
      .toBe("failed");
    await expect.poll(() => existsSync(folder), WAIT).toBe(false);
    const logs = await readLog(world, deployment);
    expect(logs).toContain("aws_session_token = ***");
    expect(logs).toContain("token ***");
    for (const secret of [...secrets, text("token")]) expect(logs.includes(secret)).toBe(false);
  });

  test("a runner that is killed leaves no profile behind", async ({ world }) => {
    const { database } = world;
    const { folder, deployment } = await planning(world);
    const ephemeral = (await process?.line("started an ephemeral runner")) && ephemeralPid(folder);
    globalThis.process.kill(ephemeral as number, "SIGKILL");
    await expect.poll(() => existsSync(folder), WAIT).toBe(false);
    await expect
      .poll(async () => (await database.sql`select status from deployments where id = ${deployment}`)[0]?.status, WAIT)
      .toBe("failed");
    await expect.poll(() => readdirSync(process?.workDir as string), WAIT).toEqual([]);
  });

  function ephemeralPid(folder: string): number {
    const workDir = path.dirname(path.dirname(folder));
    const cell = readdirSync(workDir).find((name) => name.startsWith("cell-"));
    return JSON.parse(readFileSync(path.join(workDir, cell as string, "run.json"), "utf8")).pid;
  }

  async function readLog({ database, api }: World, deployment: string): Promise<string> {
    const chunks = await database.sql`
      select l.run_id, l.chunk_index, l.size, l.object_key from log_chunks l join runs r on r.id = l.run_id where r.deployment_id = ${deployment} and l.sealed order by 2`;
    const logs = new LogChunks({
      db: database.db,
      objects: api.deps.objects,
      keyring: api.deps.keyring,
      graceMs: 900_000,
    });
    const texts = await Promise.all(
      chunks.map(({ run_id, chunk_index, size, object_key }) =>
        logs.sealedBytes(run_id, { index: chunk_index, size, objectKey: object_key } as never),
      ),
    );
    return Buffer.concat(texts).toString("utf8");
  }
});
