/** A small code host on this machine: a private repository over git and HTTP, pull requests, and signed deliveries. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { type HostState, hostApi, type PullRequest } from "./api.ts";
import { serveGit } from "./gitOverHttp.ts";
import { hostRepository } from "./repository.ts";

const OWNER = "acme";
const NAME = "greetings";

export type CodeHost = {
  /** `address:port` that the service has to be allowed to call. */
  address: string;
  apiUrl: string;
  repositoryUrl: string;
  /** The address of another of its repositories. */
  urlOf(name: string): string;
  token: string;
  webhookSecret: string;
  /** Where deliveries go from now on. */
  deliverTo(webhookUrl: string): void;
  openPullRequest(head: string, title: string): Promise<PullRequest>;
  /** Tell that the request's branch was pushed to. */
  pushedTo(request: PullRequest): Promise<void>;
  /** Move the base to the request's head and close it: two deliveries, as hosts send. */
  merge(request: PullRequest): Promise<void>;
  /** The newest state and words of the statuses of a commit, by context. */
  statusesOf(sha: string): Map<string, string>;
  commentsOn(request: PullRequest): string[];
  close(): Promise<void>;
};

/** Serve the bare repository, and others of the same owner by their names, all of them private. */
export async function startCodeHost(bare: string, others: Record<string, string> = {}): Promise<CodeHost> {
  const token = randomBytes(20).toString("hex");
  const webhookSecret = randomBytes(20).toString("hex");
  const repository = hostRepository(bare);
  const state: HostState = { open: new Map(), statuses: [], comments: [] };
  const app = new Hono();
  app.use("/api/v3/*", async (c, next) => {
    if (c.req.header("authorization") !== `token ${token}`) return c.json({ message: "Not Found" }, 404);
    return next();
  });
  const mayRead = (c: Context) => passwordOf(c) === token;
  app.route(`/api/v3/repos/${OWNER}/${NAME}`, hostApi(repository, state));
  serveGit(app, `/${OWNER}/${NAME}.git`, bare, mayRead);
  for (const [name, folder] of Object.entries(others)) {
    const apart: HostState = { open: new Map(), statuses: [], comments: [] };
    app.route(`/api/v3/repos/${OWNER}/${name}`, hostApi(hostRepository(folder), apart));
    serveGit(app, `/${OWNER}/${name}.git`, folder, mayRead);
  }
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urlOf = (name: string) => `http://${address}/${OWNER}/${name}.git`;
  const repositoryUrl = urlOf(NAME);
  let webhookUrl: string | undefined;

  async function deliver(event: string, payload: object): Promise<void> {
    if (webhookUrl === undefined) return;
    const body = JSON.stringify({ repository: { id: 1, clone_url: repositoryUrl }, ...payload });
    const headers = {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", webhookSecret).update(body).digest("hex")}`,
    };
    const answer = await fetch(webhookUrl, { method: "POST", headers, body });
    if (answer.status !== 202) throw new Error(`a delivery was answered ${answer.status}: ${await answer.text()}`);
  }

  const changed = (action: string, { number, base }: PullRequest) =>
    deliver("pull_request", { action, pull_request: { number, base: { ref: base } } });

  return {
    address,
    apiUrl: `http://${address}/api/v3`,
    repositoryUrl,
    urlOf,
    token,
    webhookSecret,
    deliverTo(url) {
      webhookUrl = url;
    },
    async openPullRequest(head, title) {
      const request = { number: state.open.size + 1, title, base: "main", head, updatedAt: new Date().toISOString() };
      state.open.set(request.number, request);
      await changed("opened", request);
      return request;
    },
    async pushedTo(request) {
      request.updatedAt = new Date().toISOString();
      await changed("synchronize", request);
    },
    async merge(request) {
      const [before, after] = [await repository.head(request.base), await repository.head(request.head)];
      if (before === null || after === null) throw new Error("a branch of the pull request is gone");
      await repository.moveBranch(request.base, after);
      state.open.delete(request.number);
      await changed("closed", request);
      await deliver("push", { ref: `refs/heads/${request.base}`, before, after, deleted: false });
    },
    statusesOf: (sha) =>
      new Map(
        state.statuses
          .filter((status) => status.sha === sha)
          .map(({ context, state: shown, description }) => [context, `${shown}: ${description}`]),
      ),
    commentsOn: ({ number }) => state.comments.filter((comment) => comment.number === number).map(({ body }) => body),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Git sends a token as the password of any user. */
function passwordOf(c: Context): string {
  const basic = /^Basic (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  return Buffer.from(basic, "base64").toString("utf8").split(":").slice(1).join(":");
}
