import { expect, test } from "vitest";
import { mailDraftOf, mailingOf } from "./mail.ts";

const draft = mailDraftOf(null);

test("recipients are taken however they were typed, and without a server of its own the service's is meant", () => {
  expect(mailingOf({ ...draft, recipients: "a@b.example, c@d.example\n\ne@f.example;" })).toEqual({
    provider_config: { recipients: ["a@b.example", "c@d.example", "e@f.example"] },
    auth_config: { smtp: null },
  });
});

test("a password that was not typed is not sent, and none goes without TLS", () => {
  const own = { ...draft, own: true, host: " smtp.example ", from: "x@y.example", username: "u" };
  const smtp = { host: "smtp.example", port: 587, security: "starttls", from: "x@y.example", username: "u" };
  expect(mailingOf(own).auth_config).toEqual({ smtp });
  expect(mailingOf({ ...own, password: "p" }).auth_config).toEqual({ smtp: { ...smtp, password: "p" } });
  const { username: _, ...bare } = smtp;
  expect(mailingOf({ ...own, password: "p", security: "none" }).auth_config).toEqual({
    smtp: { ...bare, security: "none" },
  });
});

test("what is stored is shown, but for the password", () => {
  const stored = { host: "h.example", port: 465, security: "tls", username: "u", from: "a@b.example" } as const;
  const integration = {
    provider_config: { recipients: ["a@b.example"] },
    auth_config_summary: { has_secret: true, header_count: 0, smtp: stored },
  } as unknown as Parameters<typeof mailDraftOf>[0];
  expect(mailDraftOf(integration)).toEqual({
    ...{ ...stored, port: "465", own: true, password: "" },
    recipients: "a@b.example",
  });
});
