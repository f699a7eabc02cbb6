/** Where code hosts deliver (spec 4.4). Nobody is authenticated here: the signature over the raw bytes is the authentication. */
import type { Context, Hono } from "hono";
import * as v from "valibot";
import { isUuid } from "../authorization/authorize.ts";
import type { Keyring } from "../crypto/keyring.ts";
import { unitOfWork } from "../db/unitOfWork.ts";
import type { AppEnv } from "../http/endpoint.ts";
import { described } from "../http/operation.ts";
import { NotFoundError, ProblemError } from "../http/problem.ts";
import { MalformedRequestError } from "../http/requestErrors.ts";
import type { Service } from "../service.ts";
import { repositoryKey } from "../stacks/repositoryUrl.ts";
import { openAuth } from "./authConfig.ts";
import { addEvents } from "./inbox.ts";
import { integrationsInOrder } from "./integrations.ts";
import { type Delivery, normalize } from "./normalize.ts";
import type { IntegrationRow } from "./schema.ts";
import { isSigned } from "./signature.ts";
import { firstMatch } from "./urlPattern.ts";
import type { WebhookBodies } from "./webhookBody.ts";

export type WebhookDeps = { service: Service; keyring: Pick<Keyring, "open">; bodies: WebhookBodies };

class BadSignatureError extends ProblemError {
  constructor() {
    const detail = "The delivery is not signed with this integration's webhook secret.";
    super({ status: 401, code: "not_authenticated", detail });
  }
}

const Accepted = v.object({ event_ids: v.array(v.string()) });
const DELIVERY_ID = /^[\x21-\x7e]{1,200}$/;

export function webhookRoute(app: Hono<AppEnv>, deps: WebhookDeps): void {
  const route = described({
    caller: "anyone",
    id: "deliverWebhook",
    tag: "source control",
    summary: "Take a code host's delivery",
    description:
      "The signature in X-Hub-Signature-256 is the authentication. Deliveries that mean nothing to us are 202 too.",
    rawBody: "application/json",
    answer: Accepted,
    status: 202,
    problems: [400, 401, 404, 413, 415, 503],
  });
  app.post("/api/v1/orgs/:org_id/scm-integrations/:integration_id/webhook", route, (c) => deliver(deps, c));
}

async function deliver({ service, keyring, bodies }: WebhookDeps, c: Context<AppEnv>): Promise<Response> {
  const body = await bodies.read(c.req.raw);
  const { org_id, integration_id } = c.req.param() as { org_id: string; integration_id: string };
  const inOrder = isUuid(org_id) && isUuid(integration_id) ? await integrationsInOrder(service.db, org_id) : [];
  const integration = inOrder.find(({ id }) => id === integration_id.toLowerCase());
  if (integration === undefined) throw new NotFoundError();
  const { webhook_secret: secret } = await openAuth(keyring, integration);
  if (!isSigned(body, c.req.header("x-hub-signature-256"), secret)) throw new BadSignatureError();

  const id = c.req.header("x-github-delivery") ?? "";
  if (!DELIVERY_ID.test(id)) throw new MalformedRequestError("The delivery has no id of its own.");
  const payload = parsed(body, c.req.header("content-type"));
  const event_ids = await store(
    service,
    integration,
    inOrder,
    normalize(c.req.header("x-github-event") ?? "", id, payload),
  );
  c.header("cache-control", "no-store");
  return c.json({ event_ids } satisfies v.InferOutput<typeof Accepted>, 202);
}

/** Hosts send a form by default, with the JSON in a field. @throws MalformedRequestError */
function parsed(body: Buffer, contentType: string | undefined): unknown {
  const text = body.toString("utf8");
  const form = contentType?.toLowerCase().startsWith("application/x-www-form-urlencoded");
  try {
    return JSON.parse(form ? (new URLSearchParams(text).get("payload") ?? "") : text);
  } catch {
    throw new MalformedRequestError("The delivery is not valid JSON.");
  }
}

/** A delivery about a repository that is another integration's, or nobody's, changes nothing (C36). */
async function store(
  service: Service,
  integration: IntegrationRow,
  inOrder: readonly IntegrationRow[],
  { repositoryUrls, events }: Delivery,
): Promise<string[]> {
  const ours = repositoryUrls.find((url) => firstMatch(inOrder, url)?.id === integration.id);
  if (ours === undefined || events.length === 0) return [];
  const { id: integrationId, orgId } = integration;
  return unitOfWork(service, (work) =>
    addEvents(work, { orgId, integrationId, repositoryKey: repositoryKey(ours) }, events),
  );
}
