/**
 * Where code hosts deliver (docs/rules/source-control.md#deliveries-are-authenticated-by-their-signature). Nobody is
 * authenticated here: the signature over the raw bytes is the authentication.
 */
import type { Context, Hono } from "hono";
import * as v from "valibot";
import type { AppEnv } from "../../http/endpoint.ts";
import { described } from "../../http/operation.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { MalformedRequestError } from "../../platform/problems/requestErrors.ts";
import { requireUuids } from "../../platform/problems/requireRow.ts";
import type { Service } from "../../work/service.ts";
import { Deliveries } from "./deliveries.ts";
import { type HeaderOf, isForm, payloadOf } from "./dialects.ts";
import { otherNames } from "./host/hosts.ts";
import { KnownIntegrations, type OrgIntegrations } from "./knownIntegrations.ts";
import { namedRepositories } from "./namedRepositories.ts";
import type { Delivery } from "./normalize.ts";
import { requestsWithHead } from "./requestsWithHead.ts";
import { firstMatch } from "./urlPattern.ts";
import { dialectOf, isFrom, readSigned, type Senders } from "./webhookAuth.ts";
import type { WebhookBodies } from "./webhookBody.ts";

export type WebhookDeps = { service: Service; keyring: Pick<Keyring, "open">; bodies: WebhookBodies; senders: Senders };
type RouteDeps = WebhookDeps & { known: KnownIntegrations; deliveries: Deliveries };

const Accepted = v.object({ event_ids: v.array(v.string()) });
const DELIVERY_ID = /^[\x21-\x7e]{1,200}$/;

export function webhookRoute(app: Hono<AppEnv>, { service, keyring, bodies, senders }: WebhookDeps): void {
  const deps = {
    service,
    keyring,
    bodies,
    senders,
    known: new KnownIntegrations(service.db, keyring),
    deliveries: new Deliveries(service),
  };
  const route = described({
    caller: "anyone",
    id: "deliverWebhook",
    tag: "source control",
    summary: "Take a code host's delivery",
    description:
      "The host's signature or token is the authentication: X-Hub-Signature-256, X-Gitea-Signature, X-Gitlab-Token or " +
      "webhook-signature, by the integration's host_kind. Deliveries that mean nothing to us are 202 too. 401 also means " +
      "that there is no such integration, and 404 that one of another organization has signed.",
    rawBody: "application/json",
    answer: Accepted,
    status: 202,
    problems: [400, 401, 404, 413, 415, 429, 503],
  });
  app.post("/api/v1/orgs/:org_id/scm-integrations/:integration_id/webhook", route, (c) => deliver(deps, c));
}

async function deliver(
  { service, bodies, known, deliveries, senders }: RouteDeps,
  c: Context<AppEnv>,
): Promise<Response> {
  const { org_id, integration_id } = c.req.param() as { org_id: string; integration_id: string };
  const [orgId, id] = [org_id.toLowerCase(), integration_id.toLowerCase()];
  const body = await bodies.read(c.req.raw);
  requireUuids(orgId, id);
  const header: HeaderOf = (name) => c.req.header(name);
  // What is remembered may be out of date: only rows read now can refuse.
  const remembered = known.known(orgId);
  let isSigned = remembered !== null && (await isFrom(remembered, id, body, header));
  let integrations = isSigned ? remembered : null;
  let fresh = false;
  for (;;) {
    if (integrations === null) {
      const asked = { orgId, id, body, header, isSigned };
      integrations = await readSigned({ known, senders }, c, asked);
      [fresh, isSigned] = [true, true];
    }
    const delivery = await readDelivery(integrations, id, header, body);
    const event_ids = await store({ service, deliveries }, integrations, id, delivery, fresh);
    c.header("cache-control", "no-store");
    if (event_ids !== null) return c.json({ event_ids } satisfies v.InferOutput<typeof Accepted>, 202);
    integrations = null;
  }
}

/** @throws MalformedRequestError */
async function readDelivery(
  integrations: OrgIntegrations,
  integrationId: string,
  header: HeaderOf,
  body: Buffer,
): Promise<Delivery> {
  const dialect = dialectOf(integrations, integrationId);
  const id = dialect.deliveryId(header, body, await integrations.secretOf(integrationId));
  if (!DELIVERY_ID.test(id)) throw new MalformedRequestError("The delivery has no id of its own.");
  return dialect.normalize(header, id, parsed(body, header("content-type")));
}

/** Hosts send a form by default, with the JSON in a field. @throws MalformedRequestError */
function parsed(body: Buffer, contentType: string | undefined): unknown {
  const text = body.toString("utf8");
  const form = isForm(contentType);
  try {
    return JSON.parse(form ? payloadOf(text) : text);
  } catch {
    throw new MalformedRequestError("The delivery is not valid JSON.");
  }
}

/** A delivery about a repository that is another integration's, or nobody's, changes nothing. Null: look again. */
async function store(
  { service, deliveries }: Pick<RouteDeps, "service" | "deliveries">,
  { inOrder, version }: OrgIntegrations,
  integrationId: string,
  { repositoryUrls, events, checked }: Delivery,
  fresh: boolean,
): Promise<string[] | null> {
  const integration = inOrder.find(({ id }) => id === integrationId);
  if ((events.length === 0 && checked === undefined) || integration === undefined) return [];
  const keys = namedRepositories(
    repositoryUrls,
    otherNames(integration),
    (url) => firstMatch(inOrder, url)?.id === integrationId,
  );
  if (keys.length === 0) return fresh ? [] : null;
  const { orgId } = integration;
  const added = await Promise.all(
    keys.map(async (repositoryKey, i) => {
      const repository = { orgId, integrationId, repositoryKey };
      const requests = checked === undefined ? [] : await requestsWithHead(service.db, repository, checked);
      // A delivery's id is known once; under each further name it is another.
      const name = i === 0 ? "" : `@${repositoryKey}`;
      const named = [...events, ...requests].map((event) => ({ ...event, externalId: event.externalId + name }));
      return named.length === 0 ? [] : deliveries.add(repository, named, version);
    }),
  );
  return added.includes(null) ? null : added.flatMap((ids) => ids ?? []);
}
