/** A real Gitea over an empty folder, with people, an organization and a repository; stopped and started at will. */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, cpSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { waitFor } from "../support/waitFor.ts";
import { giteaBuild } from "./build.ts";

const run = promisify(execFile);

/** It refuses to be the machine's administrator. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const USER = process.getuid?.() === 0 ? "nobody" : (process.env.USER ?? "nobody");

export type Person = { login: string; token: string };

export class Gitea {
  readonly #folder: string;
  readonly port: number;
  #process: ReturnType<typeof spawn> | undefined;
  #people = new Map<string, Person>();

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /** @param folder its own */
  static async start(folder: string): Promise<Gitea> {
    const { program, sources } = giteaBuild();
    const port = await freePort();
    const gitea = new Gitea(folder, port);
    mkdirSync(join(folder, "home"), { recursive: true });
    // Whoever it runs as may not look where it was built.
    copyFileSync(program, join(folder, "gitea"));
    for (const part of ["options", "public", "templates"])
      cpSync(join(sources, part), join(folder, "static", part), { recursive: true });
    writeFileSync(join(folder, "app.ini"), settings(folder, port));
    await run("chown", ["-R", `${NOBODY.uid ?? process.getuid?.()}`, folder]);
    for (const each of [dirname(folder), folder]) chmodSync(each, 0o755);
    await gitea.up();
    return gitea;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async up(): Promise<void> {
    const log = openSync(join(this.#folder, "gitea.log"), "a");
    const config = join(this.#folder, "app.ini");
    this.#process = spawn(this.#program, ["web", "--config", config], {
      ...NOBODY,
      env: this.#env,
      stdio: ["ignore", log, log],
    });
    const answers = async () => (await fetch(`${this.url}/api/v1/version`)).ok || undefined;
    await waitFor(answers, { what: "Gitea", timeoutMs: 120_000, everyMs: 200 });
  }

  /** At once, in the middle of whatever it does. */
  async kill(): Promise<void> {
    if (this.#process === undefined || this.#process.exitCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exited;
    this.#process = undefined;
  }

  get #program(): string {
    return join(this.#folder, "gitea");
  }

  get #env(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: join(this.#folder, "home"), USER, GITEA_WORK_DIR: this.#folder };
  }

  async #command(...words: string[]): Promise<string> {
    const config = ["--config", join(this.#folder, "app.ini")];
    return (await run(this.#program, [...words, ...config], { ...NOBODY, env: this.#env })).stdout.trim();
  }

  /** Somebody new, with a token of these scopes. */
  async person(login: string, scopes: string, isAdmin = false): Promise<Person> {
    const known = this.#people.get(login);
    if (known) return known;
    const password = randomBytes(16).toString("hex");
    const as = ["--username", login, "--password", password, "--email", `${login}@corp.example`];
    const admin = isAdmin ? ["--admin"] : [];
    await this.#command("admin", "user", "create", ...as, "--must-change-password=false", ...admin);
    const made = ["--username", login, "--token-name", "t", "--scopes", scopes, "--raw"];
    const token = await this.#command("admin", "user", "generate-access-token", ...made);
    const person = { login, token: token.split("\n").at(-1) ?? "" };
    this.#people.set(login, person);
    return person;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  async api(as: Person, method: string, path: string, body?: object): Promise<any> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${as.token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }
}

function settings(folder: string, port: number): string {
  const url = `http://127.0.0.1:${port}/`;
  return `RUN_USER = ${USER}
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${url}
STATIC_ROOT_PATH = ${join(folder, "static")}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, "gitea.db")}
[repository]
ROOT = ${join(folder, "repositories")}
[security]
INSTALL_LOCK = true
SECRET_KEY = ${randomBytes(32).toString("hex")}
[webhook]
ALLOWED_HOST_LIST = *
[log]
LEVEL = Warn
[mailer]
ENABLED = false
[indexer]
ISSUE_INDEXER_TYPE = db
[actions]
ENABLED = false
[cron.update_checker]
ENABLED = false
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
