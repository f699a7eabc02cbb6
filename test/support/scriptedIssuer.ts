/** An OpenID Connect issuer that says whatever a test wants, the way a hostile or broken one would. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";

export type Script = {
  /** Over the honest configuration document. */
  metadata: Record<string, unknown>;
  /** Over the honest claims; undefined leaves one out. */
  claims: Record<string, unknown>;
  /** How the ID token is signed. */
  signature: "own key" | "another key" | "none" | "client secret";
  /** Instead of the key's own name. */
  kid: string;
  /** Instead of the whole token answer. */
  tokenAnswer: { status: number; body: unknown } | undefined;
  /** Instead of the key set. */
  keys: unknown;
};

export type ScriptedIssuer = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  script: Partial<Script>;
  /** Nonce of the sign-in that the next code belongs to. */
  nonce: string;
  /** Bodies of the token requests so far. */
  exchanged: URLSearchParams[];
  discovered: number;
  /** How often the key set was asked for. */
  keysAsked: number;
  /** Sign with a new key from now on, and publish that one alone. */
  rotate(kid: string): Promise<void>;
  close(): Promise<void>;
};

export async function startScriptedIssuer(): Promise<ScriptedIssuer> {
  const newKey = async (kid: string) => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    return { ...pair, jwk: { ...(await exportJWK(pair.publicKey)), use: "sig", alg: "ES256", kid } };
  };
  let own = await newKey("k");
  const other = await newKey("k");
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status = 200, body } = await answer(request.url ?? "", Buffer.concat(chunks).toString());
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const scripted: ScriptedIssuer = {
    issuer,
    clientId: "orchestrator",
    clientSecret: "a scripted secret, long enough to sign with",
    script: {},
    nonce: "",
    exchanged: [],
    discovered: 0,
    keysAsked: 0,
    async rotate(kid) {
      own = await newKey(kid);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };

  const answer = async (path: string, body: string): Promise<{ status?: number; body: unknown }> => {
    const { script } = scripted;
    if (path === "/.well-known/openid-configuration") {
      scripted.discovered++;
      return { body: { ...honestMetadata(issuer), ...script.metadata } };
    }
    if (path === "/jwks") {
      scripted.keysAsked++;
      return { body: script.keys ?? { keys: [own.jwk] } };
    }
    if (path !== "/token") return { status: 404, body: {} };
    scripted.exchanged.push(new URLSearchParams(body));
    if (script.tokenAnswer !== undefined) return script.tokenAnswer;
    return { body: { access_token: "at", token_type: "Bearer", expires_in: 60, id_token: await idToken() } };
  };

  const idToken = async (): Promise<string> => {
    const now = Math.floor(Date.now() / 1_000);
    const honest = {
      iss: issuer,
      aud: scripted.clientId,
      sub: "scripted-1",
      preferred_username: "scripted",
      nonce: scripted.nonce,
    };
    const claims = { ...honest, iat: now, exp: now + 300, groups: [], ...scripted.script.claims } as JWTPayload;
    const { signature = "own key" } = scripted.script;
    if (signature === "none") return new UnsecuredJWT(claims).encode();
    const jwt = new SignJWT(claims);
    if (signature === "client secret") {
      return jwt.setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(scripted.clientSecret));
    }
    const key = signature === "own key" ? own : other;
    return jwt.setProtectedHeader({ alg: "ES256", kid: scripted.script.kid ?? own.jwk.kid }).sign(key.privateKey);
  };
  return scripted;
}

function honestMetadata(issuer: string) {
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
