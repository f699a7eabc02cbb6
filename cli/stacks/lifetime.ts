/** The commands `deploy lifetime` and `deploy prolong`: when a stack ends by itself, and letting it live longer. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { stackIdOf } from "../service/session.ts";
import type { Lifetime } from "../service/types.ts";
import { facts } from "../terminal/table.ts";

export type LifetimeOptions = { by?: string; until?: string; reason?: string };

export const show: Action<LifetimeOptions> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const path = { org_id: session.orgId, stack_id: await stackIdOf(session, named ?? options.stack) };
  const lifetime = await answerOf(
    session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/lifetime", { params: { path } }),
  );
  screen.value(lifetime);
  if (lifetime.expires_at === null) screen.note(`${path.stack_id} stays.`);
  else screen.out(described(lifetime));
  return EXIT.done;
};

export const prolong: Action<LifetimeOptions> = async (context, named) => {
  const { options, screen } = context;
  const { by, until, reason } = options;
  if ((by === undefined) === (until === undefined)) throw usage("How long? --by P7D or --until TIME");
  if (!reason) throw usage("Why? --reason TEXT tells whoever is reminded.");
  const session = await sessionOf(context);
  const path = { org_id: session.orgId, stack_id: await stackIdOf(session, named ?? options.stack) };
  const lifetime = await answerOf(
    session.api.PATCH("/api/v1/orgs/{org_id}/stacks/{stack_id}/lifetime", {
      params: { path },
      body: { reason, ...(by !== undefined && { extend_by: by }), ...(until !== undefined && { expires_at: until }) },
    }),
  );
  screen.value(lifetime);
  screen.note(`${path.stack_id} ends ${lifetime.expires_at}.`);
  return EXIT.done;
};

function described(lifetime: Lifetime): string {
  const { expires_at, reason, phase, error, put_off, destroy_deployment_id, reminded_at } = lifetime;
  return facts([
    ["ends", expires_at],
    ["reason", reason],
    ["phase", phase],
    ["reminded", reminded_at],
    ["destroyed by", destroy_deployment_id],
    ["put off", put_off],
    ["error", error],
  ]);
}
