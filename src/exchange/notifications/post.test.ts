import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEgress, type Egress } from "../../platform/egress/egress.ts";
import { cidrs } from "../../platform/settings/formats.ts";
import { headersOf, post } from "./post.ts";

const sent = { deliveryId: "d-1", eventType: "stack_created", body: '{"a":"ü"}', timestamp: 1_700_000_000 };

describe("headersOf", () => {
  it("has the headers the manual names, and a signature only with a secret", () => {
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

/** Signed by itself, so nobody trusts it. Of use for nothing but this test. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6w2ITqSEbyNpLwHo
C0ZvsDcADw9b3FM5JmDO++/4WSehRANCAATIqb+YBBn3Ul8tcvm+nhOKoZLP4DWU
Ay50WQBcGLv+tnJREmgP2Ulkf+T/JXefwMYYOkbQs47F2xdD5U/ATycW
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUemsixgYvAWm3Qdd6GJJw92qhVtkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyODA5MTkxNloYDzIxMjYxMTA0
MDkxOTE2WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATIqb+YBBn3Ul8tcvm+nhOKoZLP4DWUAy50WQBcGLv+tnJREmgP2Ulk
f+T/JXefwMYYOkbQs47F2xdD5U/ATycWo1MwUTAdBgNVHQ4EFgQUOLejWH9e/CDO
+TdWlm81yv6zDtAwHwYDVR0jBBgwFoAUOLejWH9e/CDO+TdWlm81yv6zDtAwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA6xnxUIdbByX3VlVPl0dt
5ur3iEpJVRf7Ca+NxjBdV2MCIQDkUDEC7E2qLugsu2h0PMJc4G4vbi5aSe1+X0sh
Nv9P6g==
-----END CERTIFICATE-----`;

describe("post", () => {
  const servers: Server[] = [];
  let egress: Egress;
  const port = async (server: Server) => {
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  beforeAll(() => {
    egress = createEgress({ allow: v.parse(cidrs, "127.0.0.1"), ports: [80, 443] }, async (host) => {
      if (host === "nowhere.test") throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
      return [{ address: host === "inside.test" ? "10.0.0.1" : "127.0.0.1", family: 4 }];
    });
  });
  afterAll(async () => {
    await egress.close();
    for (const server of servers) server.close();
  });
  const kindOf = async (url: string) => (await post(egress, { url }, sent, 2_000)).kind;

  it("tells what the target's owner can mend: its certificate", async () => {
    const tls = await port(createTlsServer({ key: KEY, cert: CERTIFICATE }) as unknown as Server);
    expect(await kindOf(`https://127.0.0.1:${tls}/`)).toBe("certificate");
  });

  it("says the same of a name that is not there, one that may not be called, a closed port and one that speaks something else", async () => {
    const other = await port(createServer((socket) => socket.end("220 hello\r\n")));
    const closed = createServer();
    const free = await port(closed);
    closed.close();
    await once(closed, "close");
    const names = ["https://nowhere.test/", "https://inside.test/", "https://10.0.0.1/", "http://127.0.0.1:22/"];
    for (const url of [
      ...names,
      `https://127.0.0.1:${other}/`,
      `http://127.0.0.1:${other}/`,
      `http://127.0.0.1:${free}/`,
    ]) {
      expect([url, await kindOf(url)]).toEqual([url, "unreachable"]);
    }
  });
});
