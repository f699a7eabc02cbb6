/** `npm run admin -- COMMAND`: what an operator does with database access. */
import { parseArgs } from "node:util";
import { reconcile } from "../orchestration/reconciler/reconcile.ts";
import { openTemporal } from "../orchestration/temporal/client.ts";
import { DEFAULT_LIFETIME_MS, MAX_LIFETIME_MS } from "../people/serviceAccounts/tokens.ts";
import { createKeyring } from "../platform/crypto/keyring.ts";
import { connect, type Db } from "../platform/db/client.ts";
import { migrate, migrateExplore } from "../platform/db/migrate.ts";
import { isUuid } from "../platform/ids/uuid.ts";
import { openObjectStore } from "../platform/objects/openStore.ts";
import { ProblemError } from "../platform/problems/problem.ts";
import { ConfigError } from "../platform/settings/setting.ts";
import { loggedError } from "../platform/telemetry/loggedError.ts";
import { durationToMs } from "../platform/time/durations.ts";
import { loadConfig } from "./config/config.ts";
import type { AdminConfig } from "./config/settings.ts";
import { bootstrap } from "./operator/bootstrap.ts";
import { decideByOperator } from "./operator/decide.ts";
import { mintOperatorToken, setSuperAdmin } from "./operator/grants.ts";
import { type Rotation, rotateEncryption } from "./operator/rotateEncryption.ts";
import { rotateObjects } from "./operator/rotateObjects.ts";

/** The command line is not what the command takes; the message is for the operator. */
export class UsageError extends Error {}

/** Some values are not under the current key. Rows by their ids, which are no secrets. */
class IncompleteRotationError extends UsageError {
  constructor({ rotated, unreadable }: Rotation) {
    const why =
      unreadable.length === 0
        ? "some process still writes with another key; restart it with the current settings and run this again"
        : `no listed key opens these rows: ${unreadable.slice(0, 20).join(", ")}${unreadable.length > 20 ? ", ..." : ""}`;
    super(`the rotation is incomplete: ${why}; sealed again: ${JSON.stringify(rotated)}`);
  }
}

type Command = { usage: string; run: (args: string[], config: AdminConfig, db: Db) => Promise<unknown> };

const COMMANDS: Record<string, Command> = {
  migrate: {
    usage: "migrate",
    run: async (args, config) => {
      parse(args, {}, 0);
      const { applied } = await migrate(config.database.url);
      return { applied, explore_applied: (await migrateExplore(config.database.exploreUrl)).applied };
    },
  },
  bootstrap: {
    usage: "bootstrap [--org NAME] [--runs-per-hour N] [--runner-group NAME --runner-key-file PATH] [--new-token]",
    run: runBootstrap,
  },
  "promote-super-admin": {
    usage: "promote-super-admin USER_ID",
    run: (args, _config, db) => runSuperAdmin(args, db, true),
  },
  "demote-super-admin": {
    usage: "demote-super-admin USER_ID",
    run: (args, _config, db) => runSuperAdmin(args, db, false),
  },
  token: {
    usage: "token ORG_ID SERVICE_ACCOUNT_NAME [--name NAME] [--lifetime P90D]",
    run: runToken,
  },
  decide: {
    usage: "decide DEPLOYMENT_ID confirm|skip|cancel [--force]",
    run: runDecide,
  },
  "rotate-encryption": {
    usage: "rotate-encryption [--objects]",
    run: runRotation,
  },
  reconcile: {
    usage: "reconcile",
    run: async (args, config, db) => {
      parse(args, {}, 0);
      if (config.temporal === undefined)
        throw new ConfigError("SVC_TEMPORAL_ADDRESS is not set, e.g. temporal.internal:7233");
      const temporal = openTemporal(config.temporal);
      try {
        return await reconcile({ db, timeouts: config.timeouts }, temporal);
      } finally {
        await temporal.close();
      }
    },
  },
};

async function runSuperAdmin(args: string[], db: Db, superAdmin: boolean): Promise<unknown> {
  const [userId] = parse(args, {}, 1).positionals;
  if (!(await setSuperAdmin(db, userId!, superAdmin)))
    throw new UsageError("there is no such user; people come into being when they first sign in");
  return { user_id: userId, is_super_admin: superAdmin };
}

async function runBootstrap(args: string[], config: AdminConfig, db: Db): Promise<unknown> {
  const { values } = parse(
    args,
    {
      org: { type: "string" },
      "runs-per-hour": { type: "string" },
      "runner-group": { type: "string" },
      "runner-key-file": { type: "string" },
      "new-token": { type: "boolean" },
    },
    0,
  );
  const runsPerHour = Number(values["runs-per-hour"] ?? config.orgDefaults.runsPerHour);
  if (!Number.isInteger(runsPerHour) || runsPerHour < 0 || runsPerHour > 1_000_000) {
    throw new UsageError("--runs-per-hour is a whole number, e.g. 100");
  }
  const { "runner-group": name, "runner-key-file": keyFile } = values;
  if ((name === undefined) !== (keyFile === undefined)) {
    throw new UsageError("--runner-group and --runner-key-file go together");
  }
  await migrate(config.database.url);
  await migrateExplore(config.database.exploreUrl);
  return bootstrap(db, {
    orgName: (values.org as string | undefined) ?? "Default",
    runsPerHour,
    maxUsers: config.orgDefaults.maxUsers,
    newToken: values["new-token"] === true,
    ...(name === undefined ? {} : { runnerGroup: { name: name as string, keyFile: keyFile as string } }),
  });
}

async function runToken(args: string[], _config: AdminConfig, db: Db): Promise<unknown> {
  const { values, positionals } = parse(args, { name: { type: "string" }, lifetime: { type: "string" } }, 2);
  const [orgId, accountName] = positionals;
  const lifetime = values.lifetime === undefined ? DEFAULT_LIFETIME_MS : durationToMs(values.lifetime as string);
  if (lifetime === null || lifetime <= 0 || lifetime > MAX_LIFETIME_MS) {
    throw new UsageError("--lifetime is an ISO 8601 duration of at most P365D, e.g. P90D");
  }
  const name = (values.name as string | undefined) ?? "admin";
  const minted = await mintOperatorToken(db, { orgId: orgId!, accountName: accountName!, name, lifetime });
  if (minted === null) throw new UsageError("there is no such organization or service account");
  return minted;
}

/** Plans, logs and uploads only when asked: all of them travel through this process. */
async function runRotation(args: string[], config: AdminConfig, db: Db): Promise<unknown> {
  const { values } = parse(args, { objects: { type: "boolean" } }, 0);
  if (config.encryption === undefined)
    throw new ConfigError("SVC_DATA_ENCRYPTION_PROVIDER is not set, for example aes-256");
  if (values.objects === true && config.objects === undefined)
    throw new ConfigError("SVC_OBJECTS_URL is not set, for example file:///var/lib/svc/objects");
  const keyring = createKeyring(config.encryption);
  const rotation = await rotateEncryption(db, keyring);
  if (!rotation.complete) throw new IncompleteRotationError(rotation);
  if (values.objects !== true || config.objects === undefined) return { ...rotation, objects: OBJECTS_LEFT };
  const objects = await rotateObjects({ db, keyring, store: openObjectStore(config.objects.url) });
  if (!objects.complete) throw new IncompleteRotationError(objects);
  return { ...rotation, objects };
}

const OBJECTS_LEFT = "plans, logs and uploads stay under their keys: run this with --objects before removing one";

/**
 * A decision straight on Postgres, for the hour in which no worker can be reached
 * (docs/rules/workflows.md#temporal-away).
 */
async function runDecide(args: string[], config: AdminConfig, db: Db): Promise<unknown> {
  const { values, positionals } = parse(args, { force: { type: "boolean" } }, 2);
  const [deploymentId, decision] = positionals as [string, string];
  if (!isUuid(deploymentId)) throw new UsageError("DEPLOYMENT_ID is a UUID");
  if (decision !== "confirm" && decision !== "skip" && decision !== "cancel")
    throw new UsageError(`there is no decision ${decision}`);
  const answer = await decideByOperator(db, config.timeouts, deploymentId, decision, values.force === true);
  if (answer === null) throw new UsageError("there is no such deployment");
  return answer;
}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

function parse(args: string[], options: NonNullable<Options>, positionals: number) {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (parsed.positionals.length !== positionals) throw new UsageError("wrong number of arguments");
  return parsed;
}

/** Carry out one command line and give back what it prints. @throws UsageError, ConfigError, or what the command throws */
export async function admin([name = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const lines = Object.values(COMMANDS).map(({ usage }) => `  npm run admin -- ${usage}`);
    throw new UsageError(`commands:\n${lines.join("\n")}`);
  }
  const config = loadConfig(env, "admin");
  const db = connect(config.database.url, { max: 2, name: "svc-admin" });
  try {
    return await command.run(args, config, db);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nusage: npm run admin -- ${command.usage}`);
  } finally {
    await db.$client.end({ timeout: 5 });
  }
}

if (import.meta.main) {
  admin(process.argv.slice(2), process.env).then(
    (result) => console.log(JSON.stringify(result, null, 2)),
    (error: unknown) => {
      // A database error quotes the statement with its parameters; only what is safe to keep is shown.
      const isMessageSafe =
        [UsageError, ConfigError, ProblemError].some((kind) => error instanceof kind) || !(error instanceof Error);
      console.error(isMessageSafe ? String((error as Error).message) : loggedError(error));
      process.exitCode = 1;
    },
  );
}
