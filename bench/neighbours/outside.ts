/** What lies outside: a code host and an issuer that answer, a host and a name server that do not. */
import { createSocket } from "node:dgram";
import type { ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { BenchContext } from "../harness/bench.ts";
import { json, listening, openCodeHost } from "../harness/codeHost.ts";

export const CLIENT = { id: "bench", secret: "a secret of the bench, long enough" };

export type Outside = {
  /** Where a code host's repositories are, and its API below. */
  codeHost: string;
  issuer: string;
  /** A host that takes connections and never answers while it is told to hang. */
  silent: { url: string; hang(on: boolean): void };
  /** `host:port`; answers nobody. */
  nameServer: string;
};

export async function openOutside(context: BenchContext): Promise<Outside> {
  const silent = await silentHost(context);
  return {
    codeHost: (await openCodeHost(context)).url,
    issuer: await openIssuer(context),
    silent,
    nameServer: await silentNameServer(context),
  };
}

async function silentHost(context: BenchContext): Promise<Outside["silent"]> {
  let hanging = true;
  const waiting = new Set<ServerResponse>();
  const url = await listening(context, (_request, response) => {
    if (!hanging) return json(response, { message: "Not Found" }, 404);
    waiting.add(response);
    response.on("close", () => waiting.delete(response));
  });
  return {
    url,
    hang(on) {
      hanging = on;
      if (!on) for (const response of waiting) response.destroy();
    },
  };
}

/** Signs in whoever comes, as one person: the code is the nonce of the sign-in. */
async function openIssuer(context: BenchContext): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(publicKey)), use: "sig", alg: "ES256", kid: "k" };
  const issuer = await listening(context, async (request, response) => {
    const body = await new Response(request as never).text();
    if (request.url === "/.well-known/openid-configuration") return json(response, metadata(issuer));
    if (request.url === "/jwks") return json(response, { keys: [key] });
    const nonce = new URLSearchParams(body).get("code");
    const token = await new SignJWT({ nonce, preferred_username: "ann", groups: [] })
      .setProtectedHeader({ alg: "ES256", kid: "k" })
      .setIssuer(issuer)
      .setAudience(CLIENT.id)
      .setSubject("ann")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(privateKey);
    json(response, { access_token: "at", token_type: "Bearer", expires_in: 60, id_token: token });
  });
  return issuer;
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}

async function silentNameServer({ closers }: BenchContext): Promise<string> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  closers.add(async () => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}
