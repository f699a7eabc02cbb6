/**
 * A code host: an HTTP server that answers as the published API documents (pages with Link, at most 300 files of a
 * comparison, tokens of an app's installation), with a real git repository behind it that is served to git too. A test
 * may script any answer in front of the real one.
 */
import { execFile } from "node:child_process";
import { createHmac, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { jwtVerify } from "jose";
import { serveGit } from "./gitBackend.ts";

const run = promisify(execFile);

export type HostRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string;
  body: unknown;
};
/** `hang`: never answered. */
export type HostReply = { status: number; body?: unknown; headers?: Record<string, string> } | "hang";
type Scripted = HostReply | undefined;
export type ScriptedReview = { state: string; user: { id: number; login: string }; commit_id: string };
export type ScriptedPull = {
  number: number;
  base: string;
  head: string;
  sha: string;
  files: { filename: string; previous_filename?: string }[];
  title?: string;
  fork?: boolean;
  mergeable?: boolean | null;
  reviews?: ScriptedReview[];
  /** Whose request it is. */
  author?: { id: number; login: string };
  updatedAt?: string;
};

const OWNER = "acme";
const NAME = "infra";
const APP_ID = "12345";
export const INSTALLATION = 678;

export class ScriptedHost {
  readonly webhookSecret = randomBytes(20).toString("hex");
  readonly token = `ghp_${randomBytes(18).toString("hex")}`;
  readonly appKey: string;
  readonly minted: { token: string; installation: number; body: Record<string, unknown> }[] = [];
  readonly requests: HostRequest[] = [];
  readonly pulls = new Map<number, ScriptedPull>();
  readonly statuses: { sha: string; state: string; context: string }[] = [];
  readonly checkRuns: { status: string; conclusion: string | null; name?: string; app?: { id: number } }[] = [];
  /** What people may do in the repository, by login; nobody else is anything to it. */
  readonly people = new Map<string, { id: number; permission: "admin" | "write" | "read" | "none" }>();
  /** What the branch's own rules require, as its protection and its rulesets say it. */
  protection: object | undefined;
  rules: object[] = [];
  readonly comments = new Map<number, { id: number; number: number; body: string }>();
  /** Entries of one page at most, whatever is asked for. */
  pageSize = 100;
  tokenLifetimeMs = 3_600_000;
  /** Where the app is installed; null: nowhere, and every token of before is dead. */
  installation: number | null = INSTALLATION;
  /** Without a token nothing is there, as of a private repository. */
  private = true;
  /** Looked at before the real answer; undefined lets that through. */
  script: (request: HostRequest) => Scripted | Promise<Scripted> = () => undefined;
  readonly #revoked = new Set<string>();
  readonly #server = createServer(
    (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
  );
  readonly #publicKey;
  #folder = "";
  #edits = 0;

  constructor() {
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.appKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    this.#publicKey = pair.publicKey;
  }

  static async start(): Promise<ScriptedHost> {
    const host = new ScriptedHost();
    host.#folder = await mkdtemp(join(tmpdir(), "code-host-"));
    await host.#git("init", "--quiet", "--bare", "--initial-branch=main", host.bare);
    await host.#git("-C", host.bare, "config", "uploadpack.allowAnySHA1InWant", "true");
    await host.#git("clone", "--quiet", host.bare, host.#work);
    await new Promise<void>((resolve) => host.#server.listen(0, "127.0.0.1", resolve));
    return host;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  get apiUrl(): string {
    return `${this.url}/api/v3`;
  }
  get repositoryUrl(): string {
    return `${this.url}/${OWNER}/${NAME}.git`;
  }
  get repositoryKey(): string {
    return `127.0.0.1/${OWNER}/${NAME}`;
  }
  get bare(): string {
    return join(this.#folder, OWNER, `${NAME}.git`);
  }
  get #work(): string {
    return join(this.#folder, "work");
  }

  /** Paths of API calls so far, without the prefix all share. */
  get asked(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path.replace(`/repos/${OWNER}/${NAME}`, "")}`);
  }

  revoke(token: string): void {
    this.#revoked.add(token);
  }

  /** Commit files (null removes one) onto a branch, which is made from `from` when it is new, and push it. */
  async commit(
    files: Record<string, string | null>,
    { branch = "main", message = "change", from = "main", force = false } = {},
  ): Promise<string> {
    const work = this.#work;
    const known = await this.head(branch);
    const base = force ? from : (known ?? (await this.head(from)) ?? null);
    if (base === null) await this.#git("-C", work, "checkout", "--quiet", "--orphan", "start");
    else {
      await this.#git("-C", work, "fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*");
      await this.#git("-C", work, "checkout", "--quiet", "--force", "--detach", base);
    }
    for (const [path, content] of Object.entries(files)) {
      const at = join(work, path);
      await mkdir(dirname(at), { recursive: true });
      if (content === null) await rm(at);
      else await writeFile(at, content);
    }
    await this.#git("-C", work, "add", "--all");
    await this.#git("-C", work, "commit", "--quiet", "--allow-empty", "-m", message);
    await this.#git("-C", work, "push", "--quiet", "--force", "origin", `HEAD:refs/heads/${branch}`);
    return (await this.#git("-C", work, "rev-parse", "HEAD")).trim();
  }

  /** The id of an annotated tag, which is another than its commit's. */
  async tag(name: string, commit: string): Promise<string> {
    await this.#git("-C", this.bare, "tag", "--annotate", "--force", "-m", name, name, commit);
    return (await this.#git("-C", this.bare, "rev-parse", `refs/tags/${name}`)).trim();
  }

  /** The id of a commit's tree, which is no commit. */
  async tree(commit: string): Promise<string> {
    return (await this.#git("-C", this.bare, "rev-parse", `${commit}^{tree}`)).trim();
  }

  /** Merge a commit into a branch: with its tree alone, or with both sides' changes. */
  async merge(branch: string, other: string, tree: "theirs" | "both" = "theirs"): Promise<string> {
    const ours = (await this.head(branch)) ?? "";
    const kept =
      tree === "theirs"
        ? await this.tree(other)
        : (await this.#git("-C", this.bare, "merge-tree", "--write-tree", ours, other)).trim();
    const made = await this.#git("-C", this.bare, "commit-tree", kept, "-p", ours, "-p", other, "-m", "merge");
    await this.reset(branch, made.trim());
    return made.trim();
  }

  async reset(branch: string, to: string): Promise<void> {
    await this.#git("-C", this.bare, "update-ref", `refs/heads/${branch}`, to);
  }

  async head(branch: string): Promise<string | null> {
    return this.#git("-C", this.bare, "rev-parse", "--verify", "--quiet", `refs/heads/${branch}`).then(
      (out) => out.trim(),
      () => null,
    );
  }

  setPull(pull: ScriptedPull): void {
    this.#edits += 1;
    const updatedAt = new Date(Date.parse("2026-01-01T00:00:00Z") + this.#edits * 1_000).toISOString();
    this.pulls.set(pull.number, { updatedAt, ...pull });
  }

  /** A signed delivery, as the host sends it. */
  delivery(event: string, payload: object, id: string = randomUUID(), secret = this.webhookSecret): Delivered {
    const body = JSON.stringify({ repository: this.repository(), ...payload });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return {
      body,
      headers: {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": id,
        "x-hub-signature-256": `sha256=${signature}`,
      },
    };
  }

  push(branch: string, before: string | null, after: string, id?: string): Delivered {
    const payload = { ref: `refs/heads/${branch}`, before: before ?? "0".repeat(40), after, deleted: false };
    return this.delivery("push", payload, id);
  }

  pullRequest(action: string, number: number, base = "main", id?: string): Delivered {
    const sha = this.pulls.get(number)?.sha;
    return this.delivery("pull_request", { action, pull_request: { number, base: { ref: base }, head: { sha } } }, id);
  }

  repository(): object {
    return {
      id: 1,
      full_name: `${OWNER}/${NAME}`,
      clone_url: this.repositoryUrl,
      html_url: `${this.url}/${OWNER}/${NAME}`,
    };
  }

  async #git(...args: string[]): Promise<string> {
    const who = {
      GIT_AUTHOR_NAME: "Ann Author",
      GIT_AUTHOR_EMAIL: "ann@corp.example",
      GIT_COMMITTER_NAME: "Ann Author",
      GIT_COMMITTER_EMAIL: "ann@corp.example",
    };
    const env = { PATH: process.env.PATH, HOME: this.#folder, GIT_CONFIG_NOSYSTEM: "1", ...who };
    return (await run("git", args, { env, maxBuffer: 64 * 1_048_576 })).stdout;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    if (!url.pathname.startsWith("/api/v3/")) return this.#serveGit(url, request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const asked: HostRequest = {
      method: request.method ?? "",
      path: url.pathname.slice("/api/v3".length),
      query: url.searchParams,
      authorization: request.headers.authorization ?? "",
      body: text === "" ? undefined : JSON.parse(text),
    };
    this.requests.push(asked);
    const reply = (await this.script(asked)) ?? (await this.#reply(asked));
    if (reply === "hang") return;
    const headers = {
      "content-type": "application/json; charset=utf-8",
      date: new Date().toUTCString(),
      ...reply.headers,
    };
    response.writeHead(reply.status, headers).end(JSON.stringify(reply.body ?? {}));
  }

  async #reply(asked: HostRequest): Promise<HostReply> {
    const mint = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(asked.path);
    if (mint || /^\/users\/[^/]+\/installation$/.test(asked.path)) {
      if (!(await this.#isApp(asked.authorization))) return { status: 401, body: { message: "bad JWT" } };
      const known = mint ? Number(mint[1]) === this.installation : this.installation !== null;
      if (!known) return { status: 404, body: { message: "Not Found" } };
      return mint
        ? this.#mint(asked.body as Record<string, unknown>)
        : { status: 200, body: { id: this.installation } };
    }
    if (asked.authorization !== "" && !this.#knows(asked.authorization.replace(/^token /i, ""))) {
      return { status: 401, body: { message: `Bad credentials ${asked.authorization}` } };
    }
    if (asked.path === "/installation/repositories" && asked.authorization !== "")
      return { status: 200, body: { total_count: 1, repositories: [this.repository()] } };
    const prefix = `/repos/${OWNER}/${NAME}`;
    const hidden = this.private && asked.authorization === "";
    if (!hidden && asked.method === "GET" && asked.path === prefix) return { status: 200, body: this.repository() };
    if (hidden || !asked.path.startsWith(`${prefix}/`)) return { status: 404, body: { message: "Not Found" } };
    const parts = asked.path
      .slice(prefix.length + 1)
      .split("/")
      .map(decodeURIComponent);
    return (await this.#ofRepository(asked, parts)) ?? { status: 404, body: { message: "Not Found" } };
  }

  async #ofRepository(asked: HostRequest, [noun, first = "", second]: string[]): Promise<HostReply | undefined> {
    if (asked.method === "GET" && noun === "branches") {
      const sha = await this.head(first);
      if (sha === null) return { status: 404, body: { message: "Branch not found" } };
      return { status: 200, body: { name: first, commit: await this.#commit(sha), protection: this.protection } };
    }
    if (noun === "rules") return this.#page(asked, this.rules);
    if (noun === "collaborators" && second === "permission") {
      const person = this.people.get(first);
      const { id, permission } = person ?? { id: 0, permission: "none" };
      return { status: 200, body: { permission, user: { id, login: first } } };
    }
    if (asked.method === "GET" && noun === "compare") return this.#compare(first, Number(asked.query.get("page") ?? 1));
    if (noun === "statuses" && asked.method === "POST") {
      this.statuses.push({ sha: first, ...(asked.body as { state: string; context: string }) });
      return { status: 201, body: {} };
    }
    if (noun === "commits" && second === "status")
      return this.#page(
        asked,
        this.statuses.filter(({ sha }) => sha === first),
        "statuses",
      );
    if (noun === "commits" && second === "check-runs") return this.#page(asked, this.checkRuns, "check_runs");
    if (noun === "commits" && second === undefined) {
      const sha = await this.#peeled(first);
      if (sha === null) return { status: 422, body: { message: `No commit found for SHA: ${first}` } };
      return { status: 200, body: await this.#commit(sha) };
    }
    if (noun === "issues") return this.#ofIssue(asked, first, second);
    if (noun !== "pulls") return undefined;
    if (first === "") {
      const base = asked.query.get("base");
      return this.#page(asked, [...this.pulls.values()].filter((pull) => pull.base === base).map(pullBody));
    }
    const pull = this.pulls.get(Number(first));
    if (pull === undefined) return undefined;
    if (second === "files") return this.#page(asked, pull.files);
    if (second === "reviews") return this.#page(asked, pull.reviews ?? []);
    return { status: 200, body: pullBody(pull) };
  }

  #ofIssue(asked: HostRequest, first: string, second: string | undefined): HostReply | undefined {
    const body = String((asked.body as { body?: unknown } | undefined)?.body ?? "");
    if (first === "comments") {
      const comment = this.comments.get(Number(second));
      if (comment === undefined) return undefined;
      comment.body = body;
      return { status: 200, body: comment };
    }
    const number = Number(first);
    if (asked.method === "GET")
      return this.#page(
        asked,
        [...this.comments.values()].filter((one) => one.number === number),
      );
    const comment = { id: this.comments.size + 1, number, body };
    this.comments.set(comment.id, comment);
    return { status: 201, body: comment };
  }

  /** Pages as hosts make them: `next` in a Link header while there is more. */
  #page(asked: HostRequest, items: unknown[], field?: string): HostReply {
    const size = Math.min(Number(asked.query.get("per_page") ?? 30), this.pageSize);
    const page = Number(asked.query.get("page") ?? 1);
    const slice = items.slice((page - 1) * size, page * size);
    const query = new URLSearchParams(asked.query);
    query.set("page", String(page + 1));
    const next = `<${this.apiUrl}${asked.path}?${query}>; rel="next", <${this.apiUrl}${asked.path}>; rel="last"`;
    return {
      status: 200,
      body: field === undefined ? slice : { total_count: items.length, [field]: slice },
      ...(page * size < items.length && { headers: { link: next } }),
    };
  }

  async #commit(sha: string): Promise<object> {
    const [name, message] = (await this.#git("-C", this.bare, "show", "--no-patch", "--format=%an%x00%B", sha)).split(
      "\0",
    );
    return { sha, commit: { message: message?.trim(), author: { name, email: "ann@corp.example" } }, author: null };
  }

  /** The commit that an id leads to; null for a tree, and for one that is not there. */
  #peeled(id: string): Promise<string | null> {
    return this.#git("-C", this.bare, "rev-parse", "--verify", "--quiet", `${id}^{commit}`).then(
      (out) => out.trim(),
      () => null,
    );
  }

  async #compare(basehead: string, page: number): Promise<HostReply | undefined> {
    const [base = "", head = ""] = basehead.split("...");
    if ((await this.#peeled(base)) === null || (await this.#peeled(head)) === null) return undefined;
    const from = (await this.#git("-C", this.bare, "merge-base", base, head).catch(() => "")).trim();
    if (from === "") return undefined;
    const names = (await this.#git("-C", this.bare, "diff", "--name-status", "-M", "-z", from, head)).split("\0");
    const files: object[] = [];
    for (let at = 0; at < names.length - 1; ) {
      const status = names[at++] ?? "";
      if (!status.startsWith("R")) files.push({ filename: names[at++], status });
      else files.push({ previous_filename: names[at++], filename: names[at++], status: "renamed" });
    }
    const ahead = from === base;
    const status = base === head ? "identical" : ahead ? "ahead" : from === head ? "behind" : "diverged";
    // Files are all on the first page.
    return { status: 200, body: { status, commits: [], ...(page === 1 && { files: files.slice(0, 300) }) } };
  }

  async #isApp(authorization: string): Promise<boolean> {
    const jwt = authorization.replace(/^bearer /i, "");
    return jwtVerify(jwt, this.#publicKey, { algorithms: ["RS256"], issuer: APP_ID }).then(
      () => true,
      () => false,
    );
  }

  #mint(body: Record<string, unknown>): HostReply {
    const token = `ghs_${randomBytes(18).toString("hex")}`;
    this.minted.push({ token, installation: this.installation ?? 0, body: body ?? {} });
    const expires_at = new Date(Date.now() + this.tokenLifetimeMs).toISOString();
    return { status: 201, body: { token, expires_at, permissions: { contents: "read" }, repository_selection: "all" } };
  }

  #knows(token: string): boolean {
    const minted = this.minted.find((one) => one.token === token);
    return (
      !this.#revoked.has(token) &&
      (token === this.token || (minted !== undefined && minted.installation === this.installation))
    );
  }

  /** git's own server program behind the API's door. */
  #serveGit(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const basic = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /i, ""), "base64").toString();
    if (this.private && !this.#knows(basic.slice(basic.indexOf(":") + 1))) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
      return;
    }
    serveGit(this.#folder, url, request, response);
  }
}

export type Delivered = { body: string; headers: Record<string, string> };
export { APP_ID };

function pullBody(pull: ScriptedPull): object {
  return {
    number: pull.number,
    title: pull.title ?? `Request ${pull.number}`,
    html_url: `http://host.example/acme/infra/pull/${pull.number}`,
    body: "why",
    user: pull.author ?? { id: 1, login: "ann" },
    base: { ref: pull.base, repo: { id: 1 } },
    head: { ref: pull.head, sha: pull.sha, repo: pull.fork ? { id: 2 } : { id: 1 } },
    mergeable: pull.mergeable ?? null,
    changed_files: pull.files.length,
    updated_at: pull.updatedAt,
  };
}
