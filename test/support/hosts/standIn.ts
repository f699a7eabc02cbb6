/** What stand-ins of code hosts have in common: a server, a repository behind it, scripted answers and pages. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { serveGit } from "../gitBackend.ts";
import { type HostReply, type HostRequest, ScriptedHost } from "../scriptedHost.ts";

const run = promisify(execFile);

export abstract class StandIn {
  readonly state: ScriptedHost;
  readonly token = `tok_${randomBytes(18).toString("hex")}`;
  webhookSecret = randomBytes(20).toString("hex");
  readonly requests: HostRequest[] = [];
  webhooks: object[] = [];
  script: (request: HostRequest) => HostReply | undefined | Promise<HostReply | undefined> = () => undefined;
  readonly #server = createServer(
    (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
  );

  protected constructor(state: ScriptedHost) {
    this.state = state;
  }

  static state(): Promise<ScriptedHost> {
    return ScriptedHost.start();
  }

  /** The path that all calls begin with. */
  protected abstract readonly apiPath: string;
  /** The repository's path at this host. */
  protected abstract readonly repositoryPath: string;
  protected abstract reply(asked: HostRequest): Promise<HostReply | undefined>;
  /** Whether the header is one that this host takes, of its token. */
  protected abstract isAuthorized(header: string): boolean;

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.state.stop();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  get apiUrl(): string {
    return this.url + this.apiPath;
  }
  get repositoryUrl(): string {
    return `${this.url}/${this.repositoryPath}.git`;
  }
  get repositoryKey(): string {
    return `127.0.0.1/${this.repositoryPath}`;
  }

  async git(...args: string[]): Promise<string> {
    const env = { PATH: process.env.PATH, HOME: dirname(this.state.bare), GIT_CONFIG_NOSYSTEM: "1" };
    return (await run("git", ["-C", this.state.bare, ...args], { env, maxBuffer: 64 * 1_048_576 })).stdout;
  }

  /** The commit that an id leads to, or null. */
  async peeled(id: string): Promise<string | null> {
    return this.git("rev-parse", "--verify", "--quiet", `${id}^{commit}`).then(
      (out) => out.trim(),
      () => null,
    );
  }

  async commitOf(sha: string): Promise<{ message: string; name: string; parents: string[] }> {
    const out = await this.git("show", "--no-patch", "--format=%an%x00%P%x00%B", sha);
    const [name = "", parents = "", message = ""] = out.split("\0");
    // With the line end that git keeps, as these hosts give it.
    return { name, message: `${message.trim()}\n`, parents: parents.split(" ").filter(Boolean) };
  }

  /** Pages with a `next` that leads to the host's public address, which is not the one that is called. */
  protected page(asked: HostRequest, items: unknown[], sizeName: string, most: number): Exclude<HostReply, "hang"> {
    const size = Math.min(Number(asked.query.get(sizeName) ?? 20), most, this.state.pageSize);
    const page = Number(asked.query.get("page") ?? 1);
    const query = new URLSearchParams(asked.query);
    query.set("page", String(page + 1));
    const next = `<https://public.example${this.apiPath}${asked.path}?${query}>; rel="next"`;
    const slice = items.slice((page - 1) * size, page * size);
    return { status: 200, body: slice, headers: page * size < items.length ? { link: next } : {} };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    if (!url.pathname.startsWith(`${this.apiPath}/`)) return this.#serveGit(url, request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const asked: HostRequest = {
      method: request.method ?? "",
      path: url.pathname.slice(this.apiPath.length),
      query: url.searchParams,
      authorization: request.headers.authorization ?? "",
      body: text === "" ? undefined : JSON.parse(text),
    };
    this.requests.push(asked);
    const reply = (await this.script(asked)) ?? (await this.#real(asked));
    if (reply === "hang") return;
    const headers = { "content-type": "application/json", ...reply.headers };
    response.writeHead(reply.status, headers).end(JSON.stringify(reply.body ?? {}));
  }

  async #real(asked: HostRequest): Promise<HostReply> {
    if (asked.authorization !== "" && !this.isAuthorized(asked.authorization))
      return { status: 401, body: { message: `Unauthorized ${asked.authorization}` } };
    return (await this.reply(asked)) ?? { status: 404, body: { message: "404 Not Found" } };
  }

  #serveGit(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const basic = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /i, ""), "base64").toString();
    if (this.state.private && basic.slice(basic.indexOf(":") + 1) !== this.token) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
      return;
    }
    const inside = new URL(url);
    inside.pathname = url.pathname.replace(`/${this.repositoryPath}`, "/acme/infra");
    serveGit(dirname(dirname(this.state.bare)), inside, request, response);
  }
}
