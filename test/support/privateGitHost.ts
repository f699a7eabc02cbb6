/** Private repositories of several owners over HTTP, and what of each login the machine shows while git uses it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { serveGit } from "./gitBackend.ts";

export class PrivateGitHost {
  /** Passwords, each with what the paths begin with that it opens. */
  readonly logins = new Map<string, string>();
  /** Where else a path's beginning leads. */
  readonly redirects = new Map<string, string>();
  /** Each request with the password it came with, if any. */
  readonly requests: { path: string; password: string | null }[] = [];
  /** Command lines and environments that held a password while a request was served. */
  readonly seen: string[] = [];
  readonly #folder = mkdtempSync(path.join(tmpdir(), "git-host-"));
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", this.url);
    const basic = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /i, ""), "base64").toString();
    const password = basic === "" ? null : basic.slice(basic.indexOf(":") + 1);
    this.requests.push({ path: url.pathname, password });
    this.#look();
    const opens = password === null ? undefined : this.logins.get(password);
    if (opens === undefined || !url.pathname.startsWith(opens))
      return void response.writeHead(401, { "www-authenticate": "Basic" }).end();
    const moved = [...this.redirects].find(([prefix]) => url.pathname.startsWith(prefix));
    if (moved !== undefined) {
      const location = moved[1] + url.pathname.slice(moved[0].length) + url.search;
      return void response.writeHead(301, { location }).end();
    }
    serveGit(this.#folder, url, request, response);
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Passwords that repositories below a path were asked with. */
  passwordsFor(prefix: string): (string | null)[] {
    return [...new Set(this.requests.filter((each) => each.path.startsWith(prefix)).map(({ password }) => password))];
  }

  /** A repository `owner/name` with one commit, tagged v1; submodules are paths with an address and a commit. */
  repository(
    name: string,
    files: Record<string, string>,
    submodules: Record<string, { url: string; commit: string }> = {},
  ): string {
    const work = path.join(this.#folder, "work", name);
    const who = ["-c", "user.name=Ann Author", "-c", "user.email=ann@corp.example"];
    const git = (...args: string[]) => execFileSync("git", [...who, ...args], { cwd: work, encoding: "utf8" }).trim();
    mkdirSync(work, { recursive: true });
    git("init", "--quiet", "--initial-branch=main");
    const modules = Object.entries(submodules).map(
      ([at, { url }]) => `[submodule "${at}"]\n\tpath = ${at}\n\turl = ${url}\n`,
    );
    const all = modules.length > 0 ? { ...files, ".gitmodules": modules.join("") } : files;
    for (const [file, content] of Object.entries(all)) {
      mkdirSync(path.dirname(path.join(work, file)), { recursive: true });
      writeFileSync(path.join(work, file), content);
    }
    git("add", ".");
    for (const [at, { commit }] of Object.entries(submodules))
      git("update-index", "--add", "--cacheinfo", `160000,${commit},${at}`);
    git("commit", "--quiet", "--message=Add the network\n\nFor the new region.");
    git("tag", "v1");
    const bare = path.join(this.#folder, `${name}.git`);
    git("clone", "--quiet", "--bare", work, bare);
    execFileSync("git", ["-C", bare, "config", "uploadpack.allowAnySHA1InWant", "true"]);
    return git("rev-parse", "HEAD");
  }

  #look(): void {
    const forms = [...this.logins.keys()].flatMap((password) => [
      password,
      ...["x-access-token", "git"].map((user) => Buffer.from(`${user}:${password}`).toString("base64")),
    ]);
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      for (const file of ["cmdline", "environ"]) {
        const text = readText(`/proc/${pid}/${file}`);
        if (forms.some((form) => text.includes(form))) this.seen.push(`${file}: ${text}`);
      }
    }
  }
}

/** A process may be gone, or another user's. */
function readText(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
