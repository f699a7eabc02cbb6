import type { Hono } from "hono";
import * as v from "valibot";
import { Id } from "../../http/answerFields.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Service } from "../../work/service.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { acceptOffer, declineOffer, listOffers, OFFER_LIST, OfferPage } from "./offers.ts";

const OFFERS = "/api/v1/me/membership-offers";
const tag = "members";

const Accepted = v.pipe(v.object({ org_id: Id }), v.metadata({ ref: "AcceptedMembership" }));

/** What organizations offer the caller, who decides. */
export function offerRoutes(app: Hono<AppEnv>, service: Service, metrics: Pick<Metrics, "seatDenials">): void {
  endpoint(
    app,
    "get",
    OFFERS,
    {
      id: "listMembershipOffers",
      tag,
      summary: "List the organizations that you may join",
      description: "By session only.",
      query: v.strictObject(listFields(Object.keys(OFFER_LIST.fields))),
      answer: OfferPage,
      problems: [403],
    },
    async ({ principal, query }) => listOffers(service.db, requireSession(principal).id, query()),
  );
  endpoint(
    app,
    "post",
    `${OFFERS}/:offer_id/accept`,
    {
      id: "acceptMembershipOffer",
      tag,
      summary: "Join",
      description: "By session only. 409 seat_limit when all seats are taken; the offer stays.",
      answer: Accepted,
      problems: [403, 404, 409],
    },
    async ({ principal, params }) => {
      const { orgId } = await acceptOffer(service, metrics, requireSession(principal), params.offer_id);
      return { org_id: orgId };
    },
  );
  endpoint(
    app,
    "delete",
    `${OFFERS}/:offer_id`,
    { id: "declineMembershipOffer", tag, summary: "Decline", description: "By session only.", problems: [403, 404] },
    async ({ principal, params }) => declineOffer(service, requireSession(principal), params.offer_id),
  );
}
