/** A code host that answers in the shapes GitHub documents for an enterprise installation, paging included. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type HostPerson = {
  id: number;
  login: string;
  name: string | null;
  orgs: string[];
  teams: { org: string; slug: string; name: string }[];
  emails: { email: string; primary: boolean; verified: boolean }[];
};

export type ScriptedCodehost = {
  url: string;
  clientId: string;
  clientSecret: string;
  /** Who approves the next authorization. */
  person: HostPerson;
  /** Paths that answer with this status instead. */
  broken: Map<string, number>;
  /** What the next page's address begins with, when not the truth. */
  nextPageAt: string | undefined;
  asked: string[];
  close(): Promise<void>;
};

type Grant = { person: HostPerson; redirectUri: string; challenge: string };
type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

export async function startScriptedCodehost(): Promise<ScriptedCodehost> {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, HostPerson>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body, headers = {} } = reply(request, Buffer.concat(chunks).toString());
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
    response.end(body === undefined ? "" : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host: ScriptedCodehost = {
    url,
    clientId: "Iv1.codehost",
    clientSecret: "codehost-secret",
    person: { id: 1, login: "octocat", name: null, orgs: [], teams: [], emails: [] },
    broken: new Map(),
    nextPageAt: undefined,
    asked: [],
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };

  const reply = (request: IncomingMessage, body: string): Reply => {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    host.asked.push(pathname);
    const broken = host.broken.get(pathname);
    if (broken !== undefined) return { status: broken, body: { message: "Not available" } };
    if (pathname === "/login/oauth/authorize") return authorize(searchParams);
    if (pathname === "/login/oauth/access_token") return exchange(request, new URLSearchParams(body));
    const person = tokens.get((request.headers.authorization ?? "").replace(/^Bearer /, ""));
    if (person === undefined) return { status: 401, body: { message: "Bad credentials" } };
    if (request.headers["user-agent"] === undefined) return { status: 403, body: { message: "Request forbidden" } };
    return api(pathname, searchParams, person);
  };

  const authorize = (asked: URLSearchParams): Reply => {
    const code = randomBytes(10).toString("hex");
    const redirectUri = asked.get("redirect_uri") ?? "";
    codes.set(code, { person: host.person, redirectUri, challenge: asked.get("code_challenge") ?? "" });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return { status: 302, headers: { location: back.href } };
  };

  const exchange = (request: IncomingMessage, sent: URLSearchParams): Reply => {
    const grant = codes.get(sent.get("code") ?? "");
    codes.delete(sent.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(sent.get("code_verifier") ?? "")
      .digest("base64url");
    const known = sent.get("client_id") === host.clientId && sent.get("client_secret") === host.clientSecret;
    if (!known) return oauthError("incorrect_client_credentials");
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== sent.get("redirect_uri")) {
      return oauthError("bad_verification_code");
    }
    // Without this header the host answers as a form.
    if (!request.headers.accept?.includes("application/json")) return { status: 200, body: "access_token=form" };
    const token = `gho_${randomBytes(18).toString("hex")}`;
    tokens.set(token, grant.person);
    return { status: 200, body: { access_token: token, scope: "read:org,read:user,user:email", token_type: "bearer" } };
  };

  const api = (path: string, query: URLSearchParams, person: HostPerson): Reply => {
    const { id, login, name } = person;
    if (path === "/api/v3/user") {
      return {
        status: 200,
        body: { login, id, node_id: "MDQ6VXNlcjE=", type: "User", site_admin: false, name, email: null },
      };
    }
    const lists: Record<string, object[]> = {
      "/api/v3/user/orgs": person.orgs.map((org, n) => ({ login: org, id: n + 1, node_id: "x", description: null })),
      "/api/v3/user/teams": person.teams.map(({ org, slug, name: team }, n) => ({
        id: n + 1,
        name: team,
        slug,
        privacy: "closed",
        parent: null,
        organization: { login: org, id: 1 },
      })),
      "/api/v3/user/emails": person.emails.map((email) => ({ ...email, visibility: null })),
    };
    const list = lists[path];
    return list === undefined ? { status: 404, body: { message: "Not Found" } } : page(path, query, list);
  };

  const page = (path: string, query: URLSearchParams, list: object[]): Reply => {
    const [size, number] = [Number(query.get("per_page") ?? 30), Number(query.get("page") ?? 1)];
    const pages = Math.max(1, Math.ceil(list.length / size));
    const link = (to: number, rel: string) =>
      `<${host.nextPageAt ?? url}${path}?per_page=${size}&page=${to}>; rel="${rel}"`;
    const links = [
      ...(number > 1 ? [link(number - 1, "prev")] : []),
      ...(number < pages ? [link(number + 1, "next"), link(pages, "last")] : []),
    ];
    const body = list.slice((number - 1) * size, number * size);
    return { status: 200, body, headers: links.length === 0 ? {} : { link: links.join(", ") } };
  };
  return host;
}

/** The host's errors come with status 200. */
function oauthError(error: string): Reply {
  return { status: 200, body: { error, error_description: "No.", error_uri: "https://docs.example.test/" } };
}
