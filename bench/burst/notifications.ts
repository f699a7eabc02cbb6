/** Events of one organization that asks for each, all at once; its target answers. */
import { startTargets } from "../harness/targets.ts";
import type { Arrange } from "./busy.ts";
import { BURST } from "./sizes.ts";

const EVENT = "scm_sync_failed";

/** The events and their messages are stored as their writers store them. */
export const notifications: Arrange = async ({ context, product, openTenant }) => {
  const { org, person } = await openTenant();
  const targets = await startTargets(context, () => 204);
  const integration = {
    name: "burst",
    provider_type: "webhook",
    events: [EVENT],
    provider_config: {},
    auth_config: { url: targets.url("burst") },
  };
  const { status } = await person.call("POST", "notification-integrations", integration);
  if (status !== 201) throw new Error(`an integration was answered ${status}`);
  return {
    answers: {},
    took: [],
    async send() {
      await product.sql`
        with event as (
          insert into domain_events (org_id, name, data)
          select ${org.orgId}, ${EVENT}, jsonb_build_object('attempt_count', n) from generate_series(1, ${BURST.notifications}::int) n
          returning id, org_id, name
        )
        insert into outbox (message, due_at)
        select jsonb_build_object('kind', 'fanOut', 'orgId', org_id, 'event', name, 'domainEventId', id), svc_now() from event`;
    },
    isOver: async () => targets.arrivals.length >= BURST.notifications,
  };
};
