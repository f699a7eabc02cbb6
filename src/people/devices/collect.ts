/**
 * The program looks for its token, again and again, and gets it once
 * (docs/rules/sign-in.md#a-program-without-a-browser).
 */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, Time } from "../../http/answerFields.ts";
import { NotAuthenticatedError } from "../../http/authenticate.ts";
import type { Principal } from "../../http/principal.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { ForbiddenError } from "../authorization/authorize.ts";
import { tokenHash } from "../credentials/format.ts";
import { DEFAULT_LIFETIME_MS, mintPersonalToken } from "../tokens/personalTokens.ts";
import {
  AccessDeniedError,
  AuthorizationPendingError,
  ExpiredTokenError,
  InvalidGrantError,
  SlowDownError,
} from "./deviceErrors.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";

export const CollectDeviceToken = v.strictObject({
  grant_type: v.literal(GRANT_TYPE),
  device_code: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
});

export const CollectedDeviceToken = v.pipe(
  v.object({
    access_token: v.string(),
    token_type: v.literal("Bearer"),
    expires_in: v.pipe(v.number(), v.metadata({ description: "Seconds" })),
    token_id: Id,
    name: v.string(),
    org_id: v.pipe(Id, v.metadata({ description: "The one organization that the token speaks for" })),
    expires_at: Time,
  }),
  v.metadata({ ref: "CollectedDeviceToken" }),
);
type Collected = v.InferInput<typeof CollectedDeviceToken>;

/**
 * @throws InvalidGrantError, SlowDownError, ExpiredTokenError, AccessDeniedError, AuthorizationPendingError
 */
export async function collectDeviceToken(db: Db, deviceCode: string): Promise<Collected> {
  const login = await look(db, deviceCode);
  if (login === null) throw new InvalidGrantError();
  if (login.too_soon) throw new SlowDownError();
  if (login.decision === "denied") throw new AccessDeniedError();
  if (login.expired) throw new ExpiredTokenError();
  if (login.decision === null) throw new AuthorizationPendingError();
  return handOut(db, login as Login & { user_id: string; session_id: string; org_id: string });
}

type Login = {
  id: string;
  decision: "approved" | "denied" | null;
  client_name: string;
  host_name: string;
  expired: boolean;
  too_soon: boolean;
  session_id: string | null;
  org_id: string | null;
  user_id: string | null;
};

/** Half a second early is what the network does; any more makes the next pause longer. */
async function look(db: Queryable, deviceCode: string): Promise<Login | null> {
  const [login] = await db.execute<Login>(sql`
    with seen as (
      select id, coalesce(polled_at > svc_now() - (poll_seconds - 0.5) * interval '1 second', false) as too_soon
      from device_logins where device_code_sha256 = ${tokenHash(deviceCode)}
    ), noted as (
      update device_logins d set polled_at = svc_now(),
        poll_seconds = case when seen.too_soon then least(d.poll_seconds + 5, 60) else d.poll_seconds end
      from seen where d.id = seen.id
      returning d.id, d.decision, d.client_name, d.host_name, d.expires_at <= svc_now() as expired, seen.too_soon,
        d.session_id, d.org_id
    )
    select noted.*, s.user_id from noted left join sessions s on s.id = noted.session_id`);
  return login ?? null;
}

/** The row goes in the transaction that makes the token: of two who ask at the same moment, one gets it. */
async function handOut(
  db: Db,
  login: Login & { user_id: string; session_id: string; org_id: string },
): Promise<Collected> {
  const principal: Principal = {
    kind: "user",
    id: login.user_id,
    credential: { kind: "session", sessionId: login.session_id },
  };
  const asked = { orgId: login.org_id, name: tokenName(login), lifetime: DEFAULT_LIFETIME_MS };
  try {
    const { token, id, name, org_id, expires_at } = await inTransaction(db, async (tx) => {
      const minted = await mintPersonalToken(tx, principal, asked, { device_login: login.id });
      const taken = await tx.execute(sql`delete from device_logins where id = ${login.id} returning 1`);
      if (taken.length === 0) throw new InvalidGrantError();
      return minted;
    });
    const expires_in = DEFAULT_LIFETIME_MS / 1_000;
    return { access_token: token, token_type: "Bearer", expires_in, token_id: id, name, org_id, expires_at };
  } catch (error) {
    // Disabled, signed out or taken out of the organization since they agreed.
    if (error instanceof NotAuthenticatedError || error instanceof ForbiddenError) throw new AccessDeniedError();
    throw error;
  }
}

function tokenName({ client_name, host_name }: Pick<Login, "client_name" | "host_name">): string {
  return `${client_name} on ${host_name}`;
}
