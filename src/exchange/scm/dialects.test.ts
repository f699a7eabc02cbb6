import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DIALECTS, type HeaderOf, payloadOf } from "./dialects.ts";
import { HOST_KINDS } from "./hostKind.ts";

const BODY = Buffer.from('{"object_kind":"push"}');
const SECRET = "a secret, long enough";
const KEY = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const of =
  (headers: Record<string, string>): HeaderOf =>
  (name) =>
    headers[name];
const hex = createHmac("sha256", SECRET).update(BODY).digest("hex");
const standard = (id: string, timestamp: string, key = KEY) =>
  createHmac("sha256", Buffer.from(key.slice(6), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(BODY)
    .digest("base64");

describe("GitLab's signing token", () => {
  const { isAuthentic } = DIALECTS.gitlab;
  const signed = (signature: string, more: Record<string, string> = {}) =>
    of({ "webhook-id": "d-1", "webhook-timestamp": "1790000000", "webhook-signature": signature, ...more });
  const right = `v1,${standard("d-1", "1790000000")}`;

  it("signs id, time and bytes, also beside another signature while a key is replaced", () => {
    expect(isAuthentic(BODY, signed(right), KEY)).toBe(true);
    const other = `v1,${standard("d-1", "1790000000", `whsec_${Buffer.alloc(32, 8).toString("base64")}`)}`;
    expect(isAuthentic(BODY, signed(`${other} ${right}`), KEY)).toBe(true);
    expect(isAuthentic(BODY, signed(other), KEY)).toBe(false);
  });

  it.each<[string, Record<string, string>]>([
    ["another id", { "webhook-id": "d-2" }],
    ["another time", { "webhook-timestamp": "1790000001" }],
    ["no id", { "webhook-id": "" }],
    ["a time that is none", { "webhook-timestamp": "now" }],
    ["another version", { "webhook-signature": right.replace("v1", "v2") }],
    ["a signature cut short", { "webhook-signature": right.slice(0, 20) }],
    ["the secret itself in the older header", { "webhook-signature": "", "x-gitlab-token": KEY }],
  ])("takes no %s", (_, more) => {
    expect(isAuthentic(BODY, signed(right, more), KEY)).toBe(false);
  });

  it("takes nothing at all where the key is empty or no key", () => {
    for (const key of ["whsec_", "whsec_%%%"]) expect(isAuthentic(BODY, signed(right), key)).toBe(false);
  });
});

it("each kind is proved by its own header alone, and by nothing without a secret", () => {
  const proofs = {
    github: { "x-hub-signature-256": `sha256=${hex}` },
    gitea: { "x-gitea-signature": hex },
    gitlab: { "x-gitlab-token": SECRET },
  };
  for (const kind of HOST_KINDS) {
    for (const other of HOST_KINDS)
      expect(DIALECTS[kind].isAuthentic(BODY, of(proofs[other]), SECRET), `${kind} by ${other}`).toBe(kind === other);
    for (const none of [undefined, ""])
      expect(DIALECTS[kind].isAuthentic(BODY, of({ "x-gitlab-token": "" }), none)).toBe(false);
  }
});

it("Gitea signs the JSON in a form, and Forgejo has names of its own", () => {
  const form = Buffer.from(new URLSearchParams({ payload: BODY.toString() }).toString());
  const sent = of({ "content-type": "application/x-www-form-urlencoded", "x-forgejo-signature": hex });
  expect(DIALECTS.gitea.isAuthentic(form, sent, SECRET)).toBe(true);
  expect(DIALECTS.gitea.deliveryId(of({ "x-forgejo-delivery": "f-1" }), form, SECRET)).toBe("f-1");
});

it("the JSON in a form is found among a few fields, and not looked for among millions", () => {
  expect(payloadOf("payload=%7B%22a%22%3A1%7D")).toBe('{"a":1}');
  expect(payloadOf("x=1&payload=%7B+%7D&payload=2")).toBe("{ }");
  expect(payloadOf("payload=%E0%A4%A")).toBe("\ufffd%A");
  for (const none of ["", "payloads=1", "xpayload=1", `${"a&".repeat(20)}payload=1`]) expect(payloadOf(none)).toBe("");
});

it("GitLab's delivery is known by what stays when it is sent again, also where it has only its event's id", () => {
  const id = (headers: Record<string, string>, body = BODY) => DIALECTS.gitlab.deliveryId(of(headers), body, SECRET);
  expect(id({ "idempotency-key": "k", "webhook-id": "w", "x-gitlab-event-uuid": "u" })).toBe("k");
  expect(id({ "webhook-id": "w", "x-gitlab-event-uuid": "u" })).toBe("w");
  const older = id({ "x-gitlab-event-uuid": "u" });
  expect(older).toMatch(/^u-[0-9a-f]{16}$/);
  expect(id({ "x-gitlab-event-uuid": "u" })).toBe(older);
  // What one delivery has set off has its id, and says something else.
  expect(id({ "x-gitlab-event-uuid": "u" }, Buffer.from("{}"))).not.toBe(older);
  expect(id({})).toBe("");
});

it("GitLab's signed delivery is known by the id that is signed, whatever other ids come with it", () => {
  const id = (headers: Record<string, string>) => DIALECTS.gitlab.deliveryId(of(headers), BODY, KEY);
  expect(id({ "idempotency-key": "another", "webhook-id": "w", "x-gitlab-event-uuid": "u" })).toBe("w");
  expect(id({ "idempotency-key": "another" })).toBe("");
});

describe("whatever somebody signs", () => {
  const strange: unknown[] = [null, 1, "x", [], {}, { object_kind: "merge_request" }, { object_kind: "constructor" }];
  const nested = { ref: {}, object_attributes: [], project: 1, repository: "x", pull_request: null, merge_request: 4 };
  it.each(HOST_KINDS)("is nothing to %s and throws nothing", (kind) => {
    const header = of({ "x-github-event": "push", "x-gitea-event": "status" });
    const payloads = [...strange, ...["push", "pipeline"].map((name) => ({ ...nested, object_kind: name }))];
    for (const payload of payloads) expect(DIALECTS[kind].normalize(header, "id", payload).events).toEqual([]);
  });
});
