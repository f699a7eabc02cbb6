import { beforeEach, describe, expect, it } from "vitest";
import type { Egress, EgressRequest } from "../../platform/egress/egress.ts";
import { EgressUnreachableError } from "../../platform/egress/errors.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { Discovery } from "./discovery.ts";
import { DiscoveryError } from "./errors.ts";

const ISSUER = "https://idp.example.test";
const DOCUMENT = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
};

/** Where the network is: the one thing here that is not ours to run. */
let asked: string[];
let reply: () => unknown;
const egress: Egress = {
  async request({ url }: EgressRequest) {
    asked.push(url);
    const body = reply();
    return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(body)) };
  },
  checkHost: async () => [],
  connect: async () => {
    throw new Error("nothing but HTTP is asked here");
  },
  through: (_tenant, work) => work(),
  close: async () => {},
};

let now: number;
let metrics: ReturnType<typeof createMetrics>;
let discovery: Discovery;
beforeEach(() => {
  asked = [];
  now = 1_000;
  reply = () => DOCUMENT;
  metrics = createMetrics();
  discovery = new Discovery(egress, metrics, { now: () => now });
});

const outcomes = async () =>
  Object.fromEntries(
    (await metrics.discoveryRequests.get()).values.map(({ labels, value }) => [labels.outcome, value]),
  );

describe("what is known of an issuer", () => {
  it("lasts half an hour, and is asked for once by many at the same time", async () => {
    await Promise.all([1, 2, 3].map(() => discovery.known(ISSUER)));
    now += 30 * 60_000;
    await discovery.known(ISSUER);
    expect(asked).toEqual([`${ISSUER}/.well-known/openid-configuration`]);
    now += 1;
    await discovery.known(ISSUER);
    expect(asked).toHaveLength(2);
    expect(await outcomes()).toEqual({ success: 2, cached: 3 });
    expect(
      (await metrics.discoveryDuration.get()).values.find(({ metricName }) => metricName?.endsWith("_count"))?.value,
    ).toBe(2);
  });

  it("is forgotten after half a minute when it was a failure", async () => {
    reply = () => {
      throw new EgressUnreachableError(new Error("gone"));
    };
    await expect(discovery.known(ISSUER)).rejects.toThrow(DiscoveryError);
    now += 30_000;
    await expect(discovery.known(ISSUER)).rejects.toThrow(DiscoveryError);
    expect(asked).toHaveLength(1);
    now += 1;
    reply = () => DOCUMENT;
    expect((await discovery.known(ISSUER)).issuer).toBe(ISSUER);
    expect(await outcomes()).toEqual({ failure: 1, cached_failure: 1, success: 1 });
  });

  it("is replaced by a fresh look, which never uses it", async () => {
    await discovery.known(ISSUER);
    reply = () => ({ ...DOCUMENT, token_endpoint: `${ISSUER}/new` });
    expect((await discovery.fresh(ISSUER)).token_endpoint).toBe(`${ISSUER}/new`);
    expect((await discovery.known(ISSUER)).token_endpoint).toBe(`${ISSUER}/new`);
    expect(asked).toHaveLength(2);
  });
});

describe("an issuer that is not asked at all", () => {
  it.each([
    "http://idp.example.test",
    "http://localhost.example.test",
    "ftp://idp.example.test",
    "idp.example.test",
    `${ISSUER}?x=1`,
    `${ISSUER}#x`,
    "https://user@idp.example.test",
    "",
  ])("%s", async (issuer) => {
    await expect(discovery.fresh(issuer)).rejects.toThrow(DiscoveryError);
    expect(asked).toEqual([]);
  });
});

it("refuses plain endpoints of an issuer that is not plain itself", async () => {
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"]) {
    reply = () => ({ ...DOCUMENT, [name]: "http://idp.example.test/x" });
    await expect(discovery.fresh(ISSUER)).rejects.toMatchObject({
      reason: `The issuer's configuration document has no usable ${name}.`,
    });
  }
});
