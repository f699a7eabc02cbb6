import type { Db } from "../../platform/db/client.ts";
import { migrate, migrateExplore } from "../../platform/db/migrate.ts";
import type { AdminConfig } from "../config/settings.ts";
import { bootstrap } from "./bootstrap.ts";
import { parse, UsageError } from "./commandLine.ts";

/** Both databases are migrated first, so that it is the only command a new installation needs. */
export async function runBootstrap(args: string[], config: AdminConfig, db: Db): Promise<unknown> {
  const { values } = parse(
    args,
    {
      org: { type: "string" },
      "org-id": { type: "string" },
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
    ...(values["org-id"] === undefined ? {} : { orgId: values["org-id"] as string }),
    runsPerHour,
    maxUsers: config.orgDefaults.maxUsers,
    newToken: values["new-token"] === true,
    ...(name === undefined ? {} : { runnerGroup: { name: name as string, keyFile: keyFile as string } }),
  });
}
