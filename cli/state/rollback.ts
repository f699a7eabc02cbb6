/** `deploy state rollback`: an older version as the newest, with a reason, and never unasked. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, type Context, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { stackIdOf } from "../service/session.ts";
import type { StateVersion } from "../service/types.ts";
import { choose } from "../terminal/ask.ts";
import { required, versionOf } from "./versions.ts";

export type RollbackOptions = { to?: string; reason?: string; yes?: boolean };

export const rollback: Action<RollbackOptions> = async (context, named) => {
  const { options, screen } = context;
  const to = required(options.to, "To which version? --to NUMBER; deploy state versions lists them");
  const reason = required(options.reason, "Why? --reason TEXT is kept in the audit trail.");
  if (options.yes !== true && !screen.terminal.interactive) throw usage("Nobody is there to be asked: add --yes.");
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, named ?? options.stack);
  const older = await versionOf(session, stackId, to);
  if (options.yes !== true && !(await isWanted(context, stackId, older))) {
    screen.note("Nothing was changed.");
    return EXIT.ended;
  }
  const path = { org_id: session.orgId, stack_id: stackId, version_id: older.id };
  const version = await answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}/restore", {
      params: { path },
      body: { reason },
    }),
  );
  screen.value(version);
  screen.note(`Version ${version.number} is the state of ${stackId}, with the body of version ${older.number}.`);
  return EXIT.done;
};

async function isWanted({ screen }: Context, stackId: string, { number, serial }: StateVersion): Promise<boolean> {
  screen.note("Infrastructure is not touched. What was made since then is in no state any more.");
  const question = `Roll the state of ${stackId} back to version ${number}, serial ${serial}?`;
  const answer = await choose(screen, question, [
    { value: "no", label: "No" },
    { value: "yes", label: "Yes, roll it back" },
  ]);
  return answer === "yes";
}
