/**
 * Somebody who has just cloned: an installation over an empty data folder, one shell, and the manual, block after
 * block.
 */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "./browser.ts";
import { LOCAL_AUTHORITY } from "./localCertificate.ts";
import { type LocalInstallation, startLocalInstallation } from "./localInstallation.ts";
import { type Block, manualBlocks } from "./manual.ts";
import { ShellSession } from "./shellSession.ts";

/** Blocks that nobody carries out, by page and first words, and why. */
export type LeftOut = readonly (readonly [page: string, begins: string, why: string])[];

type Received = { headers: Record<string, unknown>; body: string };

export class Reader {
  /** Where the shell is; its `.data` is the data folder. */
  readonly folder: string;
  readonly running: LocalInstallation;
  readonly shell: ShellSession;
  /** What notifications brought. */
  readonly received: Received[] = [];
  readonly #receiver: Server;
  readonly #blocks = manualBlocks();
  readonly #carriedOut = new Set<Block>();
  readonly #leftOut: LeftOut;

  private constructor(folder: string, running: LocalInstallation, receiver: Server, leftOut: LeftOut) {
    this.folder = folder;
    this.running = running;
    this.shell = new ShellSession(folder);
    this.#receiver = receiver;
    this.#leftOut = leftOut;
    receiver.on("request", async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString("utf8");
      this.received.push({ headers: request.headers, body });
      response.end();
    });
  }

  static async start(leftOut: LeftOut): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), "svc-reader-"));
    const receiver = createServer().listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const authority = join(folder, "authority.pem");
    await writeFile(authority, LOCAL_AUTHORITY);
    const settings = { SVC_EGRESS_ALLOW: "127.0.0.1", NODE_EXTRA_CA_CERTS: authority };
    const running = await startLocalInstallation(join(folder, ".data"), settings);
    return new Reader(folder, running, receiver, leftOut);
  }

  async close(): Promise<void> {
    this.shell.close();
    this.#receiver.close();
    await this.running.launcher.stop("SIGTERM", 60_000);
    await rm(this.folder, { recursive: true, force: true });
  }

  get receiverUrl(): string {
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/deploys`;
  }

  /** The blocks of a page in this language, in order, without those that are left out; they count as carried out. */
  take(page: string, language: string): string[] {
    const taken = this.#blocks.filter((one) => one.page === page && one.language === language && !this.#isLeftOut(one));
    if (taken.length === 0) throw new Error(`${page} has no ${language}`);
    for (const block of taken) this.#carriedOut.add(block);
    return taken.map(({ code }) => code);
  }

  /** Runs a page's shell blocks, each with what a reader would put in its place. @returns what each printed */
  async follow(page: string, filled: (code: string) => string | Promise<string> = (code) => code): Promise<string[]> {
    const printed: string[] = [];
    for (const code of this.take(page, "sh")) printed.push(await this.shell.run(await filled(code)));
    return printed;
  }

  /** Blocks that were neither carried out nor left out, and what is left out without being there. */
  forgotten(): string[] {
    const blocks = this.#blocks.filter((block) => !this.#carriedOut.has(block) && !this.#isLeftOut(block));
    const gone = this.#leftOut.filter((entry) => !this.#blocks.some((block) => isEntry(entry, block)));
    return [
      ...blocks.map(({ page, line }) => `${page}:${line}`),
      ...gone.map(([page, begins]) => `${page}: ${begins}`),
    ];
  }

  #isLeftOut(block: Block): boolean {
    return this.#leftOut.some((entry) => isEntry(entry, block));
  }

  /** A browser in which somebody has signed in by name, and whom the service takes them for. */
  async signIn(name: string, password: string): Promise<{ browser: Browser; me: Me }> {
    const browser = new Browser();
    const page = await browser.visit(`${this.running.ready.base_url}/api/v1/auth/sso/orgs/local/sources/local/start`);
    const form = { method: "POST", body: new URLSearchParams({ name, password }) };
    const onward = (await browser.send(page.url, form)).headers.get("location");
    return { browser, me: JSON.parse((await browser.visit(onward ?? "")).text) };
  }
}

type Me = { id: string; name: string; is_super_admin: boolean };

function isEntry([page, begins]: LeftOut[number], block: Block): boolean {
  return block.page === page && block.code.startsWith(begins);
}
