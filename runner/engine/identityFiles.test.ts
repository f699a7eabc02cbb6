import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunIdentity } from "../../src/core/runs/protocol.ts";
import { writeIdentities, writeTokens } from "./identityFiles.ts";

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(path.join(tmpdir(), "identities-"));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const identity = (provider_type: string, settings: Record<string, string>, name = "default"): RunIdentity => ({
  ...{ provider_type, name, settings, token: `header.${name}.signature` },
  ...{ expires_at: "2026-01-01T00:00:00.000Z", expires_in: 900 },
});
const role = { role_arn: "arn:aws:iam::123456789012:role/a", role_session_name: "s@d" };

test("a run without identities has no folder and no variable", async () => {
  expect(await writeIdentities([], path.join(scratch, "i"))).toEqual({});
  expect(readdirSync(scratch)).toEqual([]);
});

test("each file is the run's alone, and a renewed token takes the place of the old one whole", async () => {
  const folder = path.join(scratch, "i");
  const one = identity("identity_files", { variable: "ONE_FILE" }, "one");
  expect(await writeIdentities([one], folder)).toEqual({ ONE_FILE: path.join(folder, "identity_files-one") });
  await writeTokens([{ ...one, token: "header.two.signature" }], folder);
  expect(readdirSync(folder)).toEqual(["identity_files-one"]);
  const file = path.join(folder, "identity_files-one");
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["header.two.signature", 0o600]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("without a role of that name nothing acts by default", async () => {
  const variables = await writeIdentities([identity("aws_identity", role, "other")], path.join(scratch, "i"));
  expect(Object.keys(variables).sort()).toEqual([
    "AWS_CONFIG_FILE",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_SHARED_CREDENTIALS_FILE",
  ]);
});

test.each([
  ["another provider", identity("cloud_z", {})],
  ["a name that leads elsewhere", identity("identity_files", { variable: "A_FILE" }, "../elsewhere")],
  ["a setting that would begin a line", identity("aws_identity", { ...role, role_arn: "a\n[profile b]" })],
  ["no setting", identity("azure_identity", {})],
])("%s fails the run", async (_, malformed) => {
  await expect(writeIdentities([malformed], path.join(scratch, "i"))).rejects.toThrow(
    /malformed identity|does not know identities/,
  );
  expect(readdirSync(scratch).filter((name) => name !== "i")).toEqual([]);
});
