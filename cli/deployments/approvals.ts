/** The commands `deploy approvals` and `deploy review`: which approvals a plan needs, and one's own word about it. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import type { Approvals } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";
import { review as send } from "./decide.ts";
import { findDeployment, pathOf } from "./find.ts";

export type ReviewOptions = { approve?: boolean; reject?: boolean; comment?: string; plan?: string };

export const approvals: Action = async (context, named) => {
  const session = await sessionOf(context);
  const found = await findDeployment(session, named, context.options.stack);
  const path = { org_id: session.orgId, stack_id: found.stack_id, id: found.id };
  const asked = await answerOf(
    session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/approvals", { params: { path } }),
  );
  context.screen.value(asked);
  context.screen.out(described(`${found.stack_id} ${found.id}`, asked));
  if (found.status === "waiting") context.screen.note(found.waiting_for ?? "");
  return EXIT.done;
};

/** The plan is named by its run, or is the one that waits when the command asks. */
export const review: Action<ReviewOptions> = async (context, named) => {
  const { options, screen } = context;
  const { approve, reject, comment, plan } = options;
  if ((approve === true) === (reject === true)) throw usage("A review is either --approve or --reject.");
  if (plan === undefined && !screen.terminal.interactive)
    throw usage("Nobody is at the terminal to have seen the plan.", "Name the plan that was seen: --plan RUN_ID");
  const session = await sessionOf(context);
  const found = await findDeployment(session, named, options.stack);
  const waiting = plan ?? found.stages.findLast(({ run }) => run?.plan_summary)?.run?.id;
  const reviewed = await send(session, pathOf(found), {
    verdict: approve ? "approve" : "reject",
    ...(comment !== undefined && { comment }),
    ...(waiting !== undefined && { plan_run_id: waiting }),
  });
  screen.value(reviewed);
  screen.note(`${reviewed.stack_id} ${reviewed.id}: ${reviewed.waiting_for ?? reviewed.status}`);
  return EXIT.done;
};

const WORDS: Record<Approvals["reviews"][number]["standing"], string> = {
  counts: "",
  replaced: "replaced by a newer word of theirs",
  voided: "of an earlier plan",
  own_change: "does not count: it is their own change",
  not_asked: "does not count: they are not asked",
};

function described(deployment: string, { required, reviews }: Approvals): string {
  const asked = required.flatMap(({ source, name, count, given, missing, from, could }) => [
    `${deployment}: ${given.length} of ${count} by ${from.join(" or ") || "whoever may review"} (${source} ${name})`,
    ...(missing > 0 && could.length > 0 ? [`  could      ${could.map(nameOf).join(", ")}`] : []),
    ...(missing > 0 && could.length === 0 ? ["  could      nobody who is left"] : []),
  ]);
  const said = reviews.map(({ reviewer, verdict, comment, created_at, standing }) =>
    [
      `  ${verdict === "approve" ? "approved" : "rejected"}   ${nameOf(reviewer)}`,
      created_at,
      WORDS[standing],
      comment ?? "",
    ]
      .filter((part) => part !== "")
      .join("  "),
  );
  const lines = [...(asked.length === 0 ? [`${deployment}: no approval is asked for`] : asked), ...said];
  return lines.map((line) => `${cleaned(line)}\n`).join("");
}

function nameOf(actor: { id: string; name: string | null } | null): string {
  return actor?.name ?? actor?.id ?? "somebody";
}
