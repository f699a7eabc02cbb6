/** Every command of `npm run admin`, by its name. */
import { reconcile } from "../../orchestration/reconciler/reconcile.ts";
import { openTemporal } from "../../orchestration/temporal/client.ts";
import { DEFAULT_LIFETIME_MS, MAX_LIFETIME_MS } from "../../people/serviceAccounts/tokens.ts";
import type { Db } from "../../platform/db/client.ts";
import { migrate, migrateExplore } from "../../platform/db/migrate.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { ConfigError } from "../../platform/settings/setting.ts";
import { durationToMs } from "../../platform/time/durations.ts";
import type { AdminConfig } from "../config/settings.ts";
import { runApproveProof } from "./approveProof.ts";
import { runBootstrap } from "./bootstrapCommand.ts";
import { type Command, parse, UsageError } from "./commandLine.ts";
import { decideByOperator } from "./decide.ts";
import { mintOperatorToken, setSuperAdmin } from "./grants.ts";
import { runReplaceIdentityKey } from "./replaceIdentityKey.ts";
import { runRotation } from "./rotationCommand.ts";

export const COMMANDS: Record<string, Command> = {
  migrate: {
    usage: "migrate",
    run: async (args, config) => {
      parse(args, {}, 0);
      const { applied } = await migrate(config.database.url);
      return { applied, explore_applied: (await migrateExplore(config.database.exploreUrl)).applied };
    },
  },
  bootstrap: {
    usage:
      "bootstrap [--org NAME] [--org-id ID] [--runs-per-hour N] [--runner-group NAME --runner-key-file PATH] [--new-token]",
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
  "approve-proof": {
    usage: "approve-proof ORG_ID domain|codehost_org NAME",
    run: (args, _config, db) => runApproveProof(args, db),
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
  "replace-identity-key": {
    usage: "replace-identity-key [--revoke]",
    run: runReplaceIdentityKey,
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
