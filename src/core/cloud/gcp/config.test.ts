import { expect, it } from "vitest";
import { parseGoogleConfig } from "./config.ts";

const parse = (email: unknown) => parseGoogleConfig({ service_account_email: email });

it.each([
  "deploy@project.iam.gserviceaccount.com",
  "123456789012-compute@developer.gserviceaccount.com",
  "a@my-project.example.com.iam.gserviceaccount.com",
])("%s is a service account", (email) => expect(parse(email)).toEqual({ service_account_email: email }));

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
