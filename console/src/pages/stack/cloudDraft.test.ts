import { expect, test } from "vitest";
import { cloudConfigOf, cloudDraftOf, cloudText, isKnown, isShown } from "./cloudDraft.ts";

test("a cloud integration is sent as it was read, and an empty policy is none", () => {
  const config = {
    roles: [
      { name: "default", role_arn: "arn:aws:iam::111111111111:role/reader", use_in_previews: true },
      { name: "net", role_arn: "arn:aws:iam::111111111111:role/net", use_in_previews: false, inline_policy: "{}" },
    ],
  };
  const integration = { provider_type: "cloud_a", config };
  expect(cloudConfigOf("cloud_a", cloudDraftOf(integration))).toEqual(config);
  expect(cloudText(integration)).toContain("net: arn:aws:iam::111111111111:role/net");
  const google = { provider_type: "cloud_b", config: { service_account_email: "a@b.example" } };
  expect(cloudConfigOf("cloud_b", cloudDraftOf(google))).toEqual(google.config);
  expect(cloudText(google)).toBe("a@b.example");
});

test("an identity is shown by what trusts it, and has no form here", () => {
  const role_arn = "arn:aws:iam::111111111111:role/net";
  const texts = [
    ["aws_identity", { audience: "sts.amazonaws.com", roles: [{ name: "net", role_arn, use_in_previews: true }] }],
    ["google_identity", { workload_identity_provider: "projects/1/providers/p", use_in_previews: true }],
    ["azure_identity", { tenant_id: "t", client_id: "c", audience: "a", use_in_previews: true }],
    ["vault_identity", { address: "https://vault.example", audience: "vault", use_in_previews: true }],
    ["identity_files", { files: [{ name: "k", audience: "https://k.example", variable: "K_FILE" }] }],
  ] as const;
  expect(texts.map(([provider_type, config]) => cloudText({ provider_type, config }))).toEqual([
    `net: ${role_arn}`,
    "projects/1/providers/p",
    "c",
    "https://vault.example",
    "k: https://k.example",
  ]);
  expect(texts.map(([type]) => [isShown(type), isKnown(type)])).toEqual(texts.map(() => [true, false]));
  expect(isShown("cloud_z")).toBe(false);
});
