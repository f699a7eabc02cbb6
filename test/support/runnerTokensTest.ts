/** Tokens of groups and runners, genuine and forged: what those tests begin with. */
import { type KeyObject, sign as signBytes } from "node:crypto";
import { create, makeOrg, makeStack } from "./fixtures.ts";
import { type Claimed, coordinator, runner, sign } from "./runnerApi.ts";
import { runnerTest } from "./test.ts";

export const RUNNER_ROUTES = [
  ["POST", "/runners/:runner/ready"],
  ["DELETE", "/runners/:runner/deregister"],
  ["POST", "/runs/:run/accept"],
  ["GET", "/runs/:run/status"],
  ["POST", "/runs/:run/logs/live"],
  ["PUT", "/runs/:run/logs/chunks/0"],
  ["POST", "/runs/:run/done"],
  ["POST", "/runs/:run/acknowledging-cancel"],
  ["PUT", "/runs/:run/artifacts/plan"],
  ["GET", "/runs/:run/artifacts/plan"],
] as const;

const base64url = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token of any header and payload, signed however `signer` likes. */
export function forge(header: unknown, payload: unknown, signer: (input: Buffer) => Buffer): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${signer(Buffer.from(input)).toString("base64url")}`;
}

export function ecdsa(key: KeyObject | string, hash = "sha256") {
  return (input: Buffer) => signBytes(hash, input, { key: key as KeyObject, dsaEncoding: "ieee-p1363" });
}

export const test = runnerTest().extend("world", { scope: "file" }, async ({ database, api }) => {
  const org = await makeOrg(database);
  const other = await makeOrg(database);
  await create(api.service, await makeStack(database, org.orgId));
  const stub = await (await coordinator(api, org)).claim();
  await (await runner(api, org, stub)).accept();
  const runnerToken = await sign(org, { token_type: "runner", ...stub });

  function call(method: string, path: string, token: string | null, ids: Claimed = stub): Promise<Response> {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const url = path.replace(":runner", ids.runner_id).replace(":run", ids.run_id);
    return api.fetch(url, { method, headers });
  }

  function claims(): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    return { token_type: "runner", group_id: org.id, ...stub, iat: now, exp: now + 3600 };
  }

  async function publicPem(): Promise<string> {
    const [row] = await database.sql`select public_key_pem from runner_groups where id = ${org.id}`;
    return row?.public_key_pem;
  }
  const good = () => ({ alg: "ES256", kid: org.id });
  const withKid = (kid: unknown) => forge({ alg: "ES256", kid }, claims(), ecdsa(org.privateKeyPem));

  return { call, claims, publicPem, good, withKid, org, other, stub, runnerToken };
});
