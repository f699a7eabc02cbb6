/** A code host that has every branch, at one commit: what is deployed from it is known to be on its branch. */
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BenchContext } from "./bench.ts";
import type { Person } from "./person.ts";
import { COMMIT } from "./rows.ts";

/** What the programs need to reach one on this machine. */
export const CODE_HOST_ENV = { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_GIT_ALLOW_PROTOCOL: "https:http" };

export type CodeHost = { url: string; repositoryUrl: string };

export async function openCodeHost(context: BenchContext): Promise<CodeHost> {
  const url = await listening(context, (request, response) => {
    const branch = /\/branches\/([^/?]+)/.exec(request.url ?? "")?.[1];
    if (branch === undefined) return json(response, { message: "Not Found" }, 404);
    const commit = { sha: COMMIT, commit: { message: "m", author: { name: "Ann" } } };
    json(response, { name: branch, commit });
  });
  return { url, repositoryUrl: `${url}/acme/infra.git` };
}

/** The person's organization may ask it. @returns the integration's id */
export async function integrateHost(person: Person, url: string, webhook_secret?: string): Promise<string> {
  const made = await person.call("POST", "scm-integrations", {
    name: "host",
    url_pattern: `^${url}/`,
    api_base_url: `${url}/api/v3`,
    auth_config: { kind: "token", token: "token", ...(webhook_secret !== undefined && { webhook_secret }) },
  });
  if (made.status !== 201) throw new Error(`no integration: ${JSON.stringify(made.body)}`);
  return (made.body as { id: string }).id;
}

/** @returns its address; it is closed with the bench */
export async function listening({ closers }: BenchContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.add(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
