import { expect, test } from "vitest";
import { cloudConfigOf, cloudDraftOf, cloudText } from "./cloudDraft.ts";

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
