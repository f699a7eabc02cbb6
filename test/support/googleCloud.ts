/**
 * Google's side of service-account impersonation as its documentation describes it: the token exchange of workload
 * identity federation (RFC 8693) and the IAM Credentials API's generateAccessToken. Only an identity that holds Token
 * Creator gets a token.
 */
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const AUDIENCE = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/svc/providers/svc";
const SUBJECT_TOKEN = "the-workload's-own-token";

export type GoogleCloud = {
  endpoint: string;
  /** Service accounts for which the service is a Token Creator. */
  granted: Set<string>;
  /** Tokens given out, with what was asked for. */
  minted: { email: string; token: string; body: Record<string, unknown> }[];
  /** Answers everything with this status while it is set. */
  outage: number | null;
  exchanges: number;
  /** A further provider of workload identities, and which tokens its condition takes. */
  federated: { audience: string; verify: (token: string) => Promise<boolean> } | null;
  /** Takes back every token of the service's own. */
  revoke(): void;
  /** Writes application default credentials that lead here, and returns their path. */
  credentialsFile(folder: string): Promise<string>;
  close(): Promise<void>;
};

export async function startGoogleCloud(): Promise<GoogleCloud> {
  const sourceTokens = new Set<string>();
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => send(response, 500, { error: { code: 500, message: String(error), status: "INTERNAL" } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cloud: GoogleCloud = {
    endpoint,
    granted: new Set(),
    minted: [],
    outage: null,
    exchanges: 0,
    federated: null,
    revoke: () => sourceTokens.clear(),
    async credentialsFile(folder) {
      const token = join(folder, "subject-token");
      await writeFile(token, SUBJECT_TOKEN);
      const file = join(folder, "application-default-credentials.json");
      const credentials = {
        type: "external_account",
        audience: AUDIENCE,
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: `${endpoint}/v1/token`,
        credential_source: { file: token },
      };
      await writeFile(file, JSON.stringify(credentials));
      return file;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const text = await read(request);
    if (cloud.outage !== null) return failed(cloud.outage, "UNAVAILABLE", "The service is currently unavailable.");
    if (request.method === "POST" && request.url === "/v1/token") return exchange(new URLSearchParams(text));
    const email = /^\/v1\/projects\/-\/serviceAccounts\/([^/]+):generateAccessToken$/.exec(request.url ?? "")?.[1];
    if (request.method !== "POST" || email === undefined) return failed(404, "NOT_FOUND", "Not found.");
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!sourceTokens.has(bearer))
      return failed(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    return generate(decodeURIComponent(email), JSON.parse(text));
  }

  async function exchange(form: URLSearchParams): Promise<{ status: number; body: unknown }> {
    cloud.exchanges += 1;
    const subject = form.get("subject_token") ?? "";
    const own = form.get("audience") === AUDIENCE && subject === SUBJECT_TOKEN;
    const { federated } = cloud;
    const valid =
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:token-exchange" &&
      (own || (federated?.audience === form.get("audience") && (await federated.verify(subject))));
    if (!valid) return { status: 400, body: { error: "invalid_grant", error_description: "The token is not valid." } };
    const token = `ya29.source-${crypto.randomUUID()}`;
    sourceTokens.add(token);
    const type = "urn:ietf:params:oauth:token-type:access_token";
    return {
      status: 200,
      body: { access_token: token, issued_token_type: type, token_type: "Bearer", expires_in: 3_600 },
    };
  }

  function generate(email: string, body: Record<string, unknown>): { status: number; body: unknown } {
    if (!/^\d{1,5}s$/.test(String(body.lifetime)) || !Array.isArray(body.scope) || body.scope.length === 0) {
      return failed(400, "INVALID_ARGUMENT", "Request contains an invalid argument.");
    }
    if (!cloud.granted.has(email)) {
      return failed(403, "PERMISSION_DENIED", "Permission 'iam.serviceAccounts.getAccessToken' denied on resource.");
    }
    const token = `ya29.run-${crypto.randomUUID()}`;
    cloud.minted.push({ email, token, body });
    const expireTime = new Date(Date.now() + Number.parseInt(String(body.lifetime), 10) * 1_000).toISOString();
    return { status: 200, body: { accessToken: token, expireTime } };
  }
  return cloud;
}

function failed(code: number, status: string, message: string): { status: number; body: unknown } {
  return { status: code, body: { error: { code, message, status } } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8" }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
