/** `npm run admin -- COMMAND`: what an operator does with database access. */
import { connect } from "../platform/db/client.ts";
import { ProblemError } from "../platform/problems/problem.ts";
import { ConfigError } from "../platform/settings/setting.ts";
import { loggedError } from "../platform/telemetry/loggedError.ts";
import { loadConfig } from "./config/config.ts";
import { UsageError } from "./operator/commandLine.ts";
import { COMMANDS } from "./operator/commands.ts";

/**
 * Carry out one command line and give back what it prints. @throws UsageError, ConfigError, or what the command throws
 */
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
