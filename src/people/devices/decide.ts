/** What a person is shown of a program that asks, and their word. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { Time } from "../../http/answerFields.ts";
import type { Principal } from "../../http/principal.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import { holdMembership } from "../authorization/membership.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { holdMinter } from "../credentials/holdMinter.ts";
import type { deviceLogins } from "./schema.ts";
import { shownCode, typedCode } from "./userCode.ts";

export const DeviceLogin = v.pipe(
  v.object({
    user_code: v.string(),
    client_name: v.string(),
    host_name: v.pipe(
      v.string(),
      v.metadata({ description: "As the program calls its machine; nobody has checked it" }),
    ),
    address: v.pipe(v.string(), v.metadata({ description: "Whence it asked, as the service saw it" })),
    created_at: Time,
    expires_at: Time,
  }),
  v.metadata({ ref: "DeviceLogin" }),
);
type DeviceLogin = v.InferInput<typeof DeviceLogin>;

/** Waits for an answer. A code that was answered, is over ten minutes old or never was is one and the same. */
const WAITS = sql`decision is null and expires_at > svc_now()`;

type Shown = SqlRow<typeof deviceLogins, "client_name" | "host_name" | "address" | "created_at" | "expires_at">;

/** @throws SessionRequiredError, NotFoundError */
export async function showDeviceLogin(db: Db, principal: Principal, typed: string): Promise<DeviceLogin> {
  requireSession(principal);
  const code = requireCode(typed);
  const row = requireRow(
    await db.execute<Shown>(sql`
      select client_name, host_name, address, created_at, expires_at from device_logins
      where user_code = ${code} and ${WAITS}`),
  );
  return {
    ...row,
    user_code: shownCode(code),
    created_at: rfc3339(row.created_at),
    expires_at: rfc3339(row.expires_at),
  };
}

type Decided = SqlRow<typeof deviceLogins, "id" | "client_name" | "host_name" | "address">;

/**
 * Let it have a token of this organization. Of two answers the first counts.
 * @throws SessionRequiredError, ForbiddenError, NotFoundError
 */
export async function approveDeviceLogin(db: Db, principal: Principal, typed: string, orgId: string): Promise<void> {
  const { sessionId, ...actor } = requireSession(principal);
  const code = requireCode(typed);
  await inTransaction(db, async (tx) => {
    await holdMinter(tx, principal);
    await holdMembership(tx, actor.id, orgId);
    const { id, ...asker } = requireRow(
      await tx.execute<Decided>(sql`
        update device_logins set decision = 'approved', session_id = ${sessionId}, org_id = ${orgId}
        where user_code = ${code} and ${WAITS} returning id, client_name, host_name, address`),
    );
    await recordAudit(tx, { orgId, actor, action: "device_login.approve", resourceId: id, details: asker });
  });
}

/** @throws SessionRequiredError, NotFoundError */
export async function denyDeviceLogin(db: Db, principal: Principal, typed: string): Promise<void> {
  const { sessionId: _, ...actor } = requireSession(principal);
  const code = requireCode(typed);
  await inTransaction(db, async (tx) => {
    const { id, ...asker } = requireRow(
      await tx.execute<Decided>(sql`
        update device_logins set decision = 'denied'
        where user_code = ${code} and ${WAITS} returning id, client_name, host_name, address`),
    );
    await recordAudit(tx, { orgId: null, actor, action: "device_login.deny", resourceId: id, details: asker });
  });
}

function requireCode(typed: string): string {
  const code = typedCode(typed);
  if (code === null) throw new NotFoundError();
  return code;
}
