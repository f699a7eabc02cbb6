import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { HttpAuthBody, mergeHttpAuth } from "./httpAuth.ts";

const url = "https://hooks.example/services/T0/B0/x";
const valid = (body: object) => v.safeParse(HttpAuthBody, { url, ...body });

describe("HttpAuthBody", () => {
  it.each([
    "content-type",
    "Content-Type",
    "USER-AGENT",
    "Host",
    "content-LENGTH",
    "Transfer-Encoding",
    "connection",
    "X-Svc-Event",
    "x-svc-signature-256",
    "x-SVC-anything",
    "Webhook-Signature",
    // One with X-Svc-Event for many servers.
    "X_Svc_Event",
    "user_agent",
    "proxy-authorization",
    "Expect",
  ])("refuses a header of ours or of the connection: %s", (name) =>
    expect(valid({ headers: { [name]: "x" } }).success).toBe(false),
  );

  it.each([
    ["a line break", { "X-A": "a\r\nX-B: b" }],
    ["no name", { "": "x" }],
    ["a name with a blank", { "X A": "x" }],
    ["a name with a colon", { "X:A": "x" }],
    ["text that a header cannot carry", { "X-A": "ü" }],
    ["a name twice", { "X-A": "1", "x-a": "2" }],
    ["more than twenty", Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-${i}`, "x"]))],
  ])("refuses headers with %s", (_, headers) => expect(valid({ headers }).success).toBe(false));

  it("takes what receivers ask for", () =>
    expect(valid({ headers: { Authorization: "Bearer x", "X-Api-Key": "k" }, secret: "s" }).success).toBe(true));

  it.each(["whsec_", "whsec_%%%", "whsec_AAA", "whsec_not base64"])("refuses a secret that is no key: %s", (secret) => {
    const { success, issues } = valid({ secret });
    expect([success, JSON.stringify(issues?.map(({ message }) => message))]).toEqual([
      false,
      '["begins with whsec_, and what follows is no key in base64"]',
    ]);
  });

  it.each([
    "ftp://x.example/",
    "file:///etc/passwd",
    "https://u:p@x.example/",
    "x.example",
    "http:/x",
    "http:///x",
    "http:\\\\x",
    " https://x.example/",
    "https://x.example/a\r\nX-B: b",
    "https://x.example/a b",
    "https://x.example/\u0085",
    "javascript:1",
    "",
  ])("refuses the address %j", (address) => expect(v.safeParse(HttpAuthBody, { url: address }).success).toBe(false));
});

describe("mergeHttpAuth", () => {
  const stored = { url, secret: "s", headers: { Authorization: "Bearer t" } };

  it("keeps what is not sent while the address stays at its host, and removes what is null", () => {
    expect(mergeHttpAuth(stored, { url: "https://hooks.example/new" })).toEqual({
      ...stored,
      url: "https://hooks.example/new",
    });
    expect(mergeHttpAuth(stored, { url, secret: null, headers: null })).toEqual({ url });
    expect(mergeHttpAuth(stored, { url, secret: "n" })).toEqual({ ...stored, secret: "n" });
  });

  it.each(["https://elsewhere.example/", "http://hooks.example/", "https://hooks.example:8443/"])(
    "carries no secret over to %s",
    (elsewhere) => expect(mergeHttpAuth(stored, { url: elsewhere })).toEqual({ url: elsewhere }),
  );
});
