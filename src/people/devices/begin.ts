/** A program asks for a token that a person is to allow elsewhere. */
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import * as v from "valibot";
import { displayName } from "../../http/textFields.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { tokenHash } from "../credentials/format.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";
import { makeUserCode, shownCode } from "./userCode.ts";

const LIFETIME_SECONDS = 600;
const POLL_SECONDS = 5;

/** Together with the word between them they name the token, which has 100 characters at most. */
export const BeginDeviceLogin = v.strictObject({
  client_name: v.pipe(displayName(40), v.metadata({ description: "What asks, for example `deploy`" })),
  host_name: v.pipe(displayName(56), v.metadata({ description: "The machine that it runs on, as its people know it" })),
});

export const BegunDeviceLogin = v.pipe(
  v.object({
    device_code: v.pipe(v.string(), v.metadata({ description: "The program's secret: whoever has it gets the token" })),
    user_code: v.pipe(v.string(), v.metadata({ description: "What the person compares", examples: ["BCDF-GHJK"] })),
    verification_uri: v.string(),
    verification_uri_complete: v.pipe(v.string(), v.metadata({ description: "The same with the code in it" })),
    expires_in: v.pipe(v.number(), v.metadata({ description: "Seconds" })),
    interval: v.pipe(v.number(), v.metadata({ description: "Seconds between two looks for the token, at least" })),
  }),
  v.metadata({ ref: "BegunDeviceLogin" }),
);
type Begun = v.InferInput<typeof BegunDeviceLogin>;

/** @param address whence it is asked for, which the person is shown */
export async function beginDeviceLogin(
  db: Queryable,
  { baseUrl }: BrowserOrigin,
  { client_name, host_name }: v.InferOutput<typeof BeginDeviceLogin>,
  address: string,
): Promise<Begun> {
  const deviceCode = randomBytes(32).toString("base64url");
  const userCode = await store(db, { deviceCode, client_name, host_name, address });
  const verification_uri = `${baseUrl}/device`;
  return {
    device_code: deviceCode,
    user_code: shownCode(userCode),
    verification_uri,
    // Behind the `#`, which is sent to no server and in no Referer.
    verification_uri_complete: `${verification_uri}#${shownCode(userCode)}`,
    expires_in: LIFETIME_SECONDS,
    interval: POLL_SECONDS,
  };
}

type Stored = { deviceCode: string; client_name: string; host_name: string; address: string };

async function store(db: Queryable, { deviceCode, client_name, host_name, address }: Stored): Promise<string> {
  for (;;) {
    const userCode = makeUserCode();
    const stored = await db.execute(sql`
      insert into device_logins (device_code_sha256, user_code, client_name, host_name, address, poll_seconds, expires_at)
      values (${tokenHash(deviceCode)}, ${userCode}, ${client_name}, ${host_name}, ${address}, ${POLL_SECONDS},
        svc_now() + ${LIFETIME_SECONDS}::int * interval '1 second')
      on conflict (user_code) do nothing returning 1`);
    if (stored.length > 0) return userCode;
  }
}
