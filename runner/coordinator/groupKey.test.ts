import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { decodeProtectedHeader, jwtVerify } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { GroupKey, GroupKeyError } from "./groupKey.ts";

const GROUP = "0190b7c2-6a1e-7c3d-9f00-5d2f6f1c8a11";
let file: string;

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), "group-key-")), "key.pem");
});

function newPem(namedCurve = "P-256"): string {
  return generateKeyPairSync("ec", { namedCurve }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function replaceFile(content: string): void {
  writeFileSync(`${file}.next`, content);
  renameSync(`${file}.next`, file);
}

describe("GroupKey", () => {
  test("signs both kinds of JWT with the claims of the protocol", async () => {
    const pem = newPem();
    writeFileSync(file, pem);
    const key = await GroupKey.load(file, GROUP);
    const verify = (jwt: string) => jwtVerify(jwt, createPublicKey(pem), { algorithms: ["ES256"] });

    const group = await key.groupToken();
    expect(decodeProtectedHeader(group)).toEqual({ alg: "ES256", kid: GROUP });
    const groupClaims = (await verify(group)).payload;
    const now = expect.any(Number);
    expect(groupClaims).toEqual({ token_type: "runner_group", group_id: GROUP, iat: now, exp: now });
    expect(groupClaims.exp! - groupClaims.iat!).toBe(600);
    expect(await key.groupToken()).toBe(group);

    const { payload } = await verify(await key.runnerToken("runner", "run"));
    const ids = { group_id: GROUP, runner_id: "runner", run_id: "run" };
    expect(payload).toEqual({ token_type: "runner", ...ids, iat: now, exp: now });
  });

  test("after a rotation it signs with the new key and says so once", async () => {
    writeFileSync(file, newPem());
    const key = await GroupKey.load(file, GROUP);
    const changes: (GroupKeyError | null)[] = [];
    key.onChange((failure) => changes.push(failure));
    await key.groupToken();
    const next = newPem();
    replaceFile(next);
    await key.reload();
    await key.reload();
    expect(changes).toEqual([null]);
    await expect(jwtVerify(await key.groupToken(), createPublicKey(next))).resolves.toBeDefined();
  });

  test("a changed file without a usable key is reported, and the old key stays in use", async () => {
    const pem = newPem();
    writeFileSync(file, pem);
    const key = await GroupKey.load(file, GROUP);
    const changes: (GroupKeyError | null)[] = [];
    key.onChange((failure) => changes.push(failure));
    replaceFile(pem.slice(0, 40));
    await key.reload();
    expect(changes).toEqual([expect.any(GroupKeyError)]);
    await expect(jwtVerify(await key.groupToken(), createPublicKey(pem))).resolves.toBeDefined();
    replaceFile(pem);
    await key.reload();
    expect(changes).toEqual([expect.any(GroupKeyError), null]);
  });

  test.each([
    ["nothing", undefined, /ENOENT/],
    ["no PEM", "hello", /not a PEM private key/],
    ["another curve", newPem("P-384"), /not an ECDSA P-256 key/],
  ])("%s at the start is refused without showing the content", async (_, content, message) => {
    if (content !== undefined) writeFileSync(file, content);
    const refused = await GroupKey.load(file, GROUP).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(GroupKeyError);
    expect(String(refused)).toMatch(message);
    expect(String(refused)).not.toContain("BEGIN");
  });
});
