import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { headersOf } from "./post.ts";

const sent = { deliveryId: "d-1", eventType: "stack_created", body: '{"a":"ü"}', timestamp: 1_700_000_000 };

describe("headersOf", () => {
  it("has what the specification names, and a signature only with a secret", () => {
    expect(headersOf({ url: "https://x.example" }, sent)).toEqual({
      "content-type": "application/json",
      "user-agent": "Svc-Notifications",
      "x-svc-event": "stack_created",
      "x-svc-delivery": "d-1",
      "x-svc-timestamp": "1700000000",
    });
  });

  it("signs the body's bytes", () => {
    const { "x-svc-signature-256": signature } = headersOf({ url: "https://x.example", secret: "s" }, sent);
    expect(signature).toBe(`sha256=${createHmac("sha256", "s").update(Buffer.from(sent.body)).digest("hex")}`);
  });

  it("lets configured headers through and never lets them win", () => {
    const headers = { Authorization: "Bearer t", "X-SVC-Event": "forged", "user-Agent": "me" };
    expect(headersOf({ url: "https://x.example", headers }, sent)).toMatchObject({
      authorization: "Bearer t",
      "x-svc-event": "stack_created",
      "user-agent": "Svc-Notifications",
    });
  });
});
