/** The second signature is one that the library of Standard Webhooks takes. */
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { headersOf } from "./post.ts";

const body = '{"commit_message":"ünïcode"}';
const KEY = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** As the library wants the time to be: about now. */
function sent(secret: string, timestamp = Math.floor(Date.now() / 1_000)) {
  const notification = {
    deliveryId: "01a1f77a-0000-7000-8000-000000000001",
    eventType: "stack_created",
    body,
    timestamp,
  };
  return headersOf({ url: "https://x.example", secret }, notification);
}

describe("standardwebhooks", () => {
  it("takes a request signed with a secret in its own form", () => {
    const verified = new Webhook(`whsec_${KEY}`).verify(body, sent(`whsec_${KEY}`));
    expect(verified).toEqual(JSON.parse(body));
  });

  it("takes one signed with a secret of any other form, as raw bytes", () => {
    expect(
      new Webhook(new TextEncoder().encode("anything: ü"), { format: "raw" }).verify(body, sent("anything: ü")),
    ).toEqual(JSON.parse(body));
  });

  it("gets nothing to take where a secret stands for no key: anybody could sign with an empty one", () => {
    const headers = sent("whsec_%%%");
    expect(headers["webhook-signature"]).toBeUndefined();
    expect(headers["x-svc-signature-256"]).toMatch(/^sha256=/);
  });

  it("refuses another body, another id, another secret, and one from an hour ago", () => {
    const hook = new Webhook(`whsec_${KEY}`);
    const headers = sent(`whsec_${KEY}`);
    expect(() => hook.verify(`${body} `, headers)).toThrow();
    expect(() => hook.verify(body, { ...headers, "webhook-id": "other" })).toThrow();
    expect(() => hook.verify(body, sent("other"))).toThrow();
    expect(() => hook.verify(body, sent(`whsec_${KEY}`, Math.floor(Date.now() / 1_000) - 3_600))).toThrow();
  });
});
