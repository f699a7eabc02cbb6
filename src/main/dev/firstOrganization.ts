/** The organization, admin token and runner group of a local installation, made at its first start. */
import { connect } from "../../platform/db/client.ts";
import { bootstrap } from "../operator/bootstrap.ts";
import type { DataFolder } from "./dataFolder.ts";

export type FirstOrganization = {
  orgId: string;
  orgName: string;
  runsPerHour: number;
  adminToken: string;
  runnerGroupId: string;
  /** The runner group's private key. */
  keyFile: string;
  /** False when the group's key was rotated and the file holds the old one. */
  keyValid: boolean;
  /** What was wrong with the token's account and has been mended. */
  mended: readonly string[];
};

const TOKEN_FILE = "admin-token";
const KEY_FILE = "runner-group.pem";
/** One person trying things out should not meet the production default of 2 an hour. */
const RUNS_PER_HOUR = 10_000;
const MAX_USERS = 100;

/** Make what is missing; at later starts the same values come back. A lost or outdated token is replaced. */
export async function firstOrganization(data: DataFolder, databaseUrl: string): Promise<FirstOrganization> {
  const db = connect(databaseUrl, { max: 1, name: "svc-first-organization" });
  try {
    const known = await data.read(TOKEN_FILE);
    const keyFile = data.file(KEY_FILE);
    const made = await bootstrap(db, {
      orgName: "Local",
      runsPerHour: RUNS_PER_HOUR,
      maxUsers: MAX_USERS,
      runnerGroup: { name: "local", keyFile },
      mend: { token: known },
    });
    if (made.admin_token !== null) await data.write(TOKEN_FILE, made.admin_token);
    return {
      orgId: made.org_id,
      orgName: made.org_name,
      runsPerHour: made.runs_per_hour_limit,
      adminToken: made.admin_token ?? (known as string),
      runnerGroupId: made.runner_group_id as string,
      keyFile,
      keyValid: made.runner_key_valid === true,
      mended: made.mended,
    };
  } finally {
    await db.$client.end({ timeout: 5 });
  }
}
