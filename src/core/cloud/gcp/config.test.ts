import { expect, it } from "vitest";
import { accountForPreviews, parseGoogleConfig } from "./config.ts";

const parse = (email: unknown) => parseGoogleConfig({ service_account_email: email });

it.each([
  "deploy@project.iam.gserviceaccount.com",
  "123456789012-compute@developer.gserviceaccount.com",
  "a@my-project.example.com.iam.gserviceaccount.com",
])("%s is a service account", (email) =>
  expect(parse(email)).toEqual({ service_account_email: email, use_in_previews: true }),
);

it.each([
  "kate@corp.test",
  "deploy@project.iam.gserviceaccount.com.evil.test",
  "deploy@gserviceaccount.com",
  "@project.iam.gserviceaccount.com",
  "-a@project.iam.gserviceaccount.com",
  "Deploy@project.iam.gserviceaccount.com",
  "a/b@project.iam.gserviceaccount.com",
  "a@b@project.iam.gserviceaccount.com",
  "deploy@project.iam.gserviceaccount.com\n",
  `${"a".repeat(101)}@project.iam.gserviceaccount.com`,
  "",
  null,
  7,
])("%j is none", (email) =>
  expect(() => parse(email)).toThrow(
    expect.objectContaining({
      status: 422,
      errors: [expect.objectContaining({ field: "config.service_account_email" })],
    }),
  ),
);

it("a config is the account and nothing else", () => {
  expect(() => parseGoogleConfig({})).toThrow();
  expect(() => parseGoogleConfig(null)).toThrow();
  expect(() =>
    parseGoogleConfig({ service_account_email: "deploy@project.iam.gserviceaccount.com", key: "x" }),
  ).toThrow();
});

it("is for previews too, unless it says otherwise", () => {
  const service_account_email = "deploy@project.iam.gserviceaccount.com";
  const kept = parseGoogleConfig({ service_account_email, use_in_previews: false });
  expect(kept).toEqual({ service_account_email, use_in_previews: false });
  expect(accountForPreviews(kept)).toBe(null);
  const both = parseGoogleConfig({ service_account_email });
  expect(accountForPreviews(both)).toBe(both);
  expect(() => parseGoogleConfig({ service_account_email, use_in_previews: "no" })).toThrow();
});
