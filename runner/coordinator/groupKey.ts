import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SignJWT } from "jose";
import type { GroupClaims, RunnerClaims } from "../../src/core/runs/protocol.ts";

const GROUP_TOKEN_SECONDS = 600;
/** `exp` of a runner's token is only a backstop; the coordinator hands out fresh ones long before. */
const RUNNER_TOKEN_SECONDS = 86_400;
/** Reading 240 bytes a second costs less than the corner cases of file events over symlinked secret mounts. */
const WATCH_MS = 1_000;

/** The key file cannot be read or holds no P-256 private key. The message never shows what is in it. */
export class GroupKeyError extends Error {
  override name = "GroupKeyError";
}

/**
 * The runner group's private key, reloaded when its file changes. Signs both kinds of JWT
 * (docs/rules/runner-protocol.md#tokens).
 */
export class GroupKey {
  readonly #file: string;
  readonly #groupId: string;
  readonly #listeners: ((failure: GroupKeyError | null) => void)[] = [];
  #pem: string;
  #key: KeyObject;
  #groupToken: { jwt: string; refreshAt: number } | null = null;
  #timer: NodeJS.Timeout | null = null;

  private constructor(file: string, groupId: string, pem: string, key: KeyObject) {
    this.#file = file;
    this.#groupId = groupId;
    this.#pem = pem;
    this.#key = key;
  }

  /** @throws GroupKeyError when the file is missing or is no PKCS#8 PEM of an ECDSA P-256 key. */
  static async load(file: string, groupId: string): Promise<GroupKey> {
    const pem = await readPem(file);
    return new GroupKey(file, groupId, pem, parseKey(file, pem));
  }

  /** Calls back with null after each rotation, and with an error when a changed file holds no usable key. */
  onChange(listener: (failure: GroupKeyError | null) => void): void {
    this.#listeners.push(listener);
  }

  watch(): void {
    this.#timer ??= setInterval(() => void this.reload(), WATCH_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Reads the file again. A file caught half-written keeps the old key until the next look. */
  async reload(): Promise<void> {
    let pem: string;
    try {
      pem = await readPem(this.#file);
    } catch {
      return; // Replaced by rename: missing for an instant.
    }
    if (pem === this.#pem) return;
    this.#pem = pem;
    let failure: GroupKeyError | null = null;
    try {
      this.#key = parseKey(this.#file, pem);
      this.#groupToken = null;
    } catch (error) {
      failure = error as GroupKeyError;
    }
    for (const listener of this.#listeners) listener(failure);
  }

  /** A group JWT, signed again when half of its ten minutes have gone. */
  async groupToken(): Promise<string> {
    const now = Date.now();
    if (this.#groupToken === null || now >= this.#groupToken.refreshAt) {
      const claims = { token_type: "runner_group", group_id: this.#groupId } satisfies Omit<GroupClaims, "iat" | "exp">;
      const jwt = await this.#sign(claims, GROUP_TOKEN_SECONDS);
      this.#groupToken = { jwt, refreshAt: now + (GROUP_TOKEN_SECONDS / 2) * 1_000 };
    }
    return this.#groupToken.jwt;
  }

  /** A JWT for one ephemeral runner and its one run. */
  runnerToken(runnerId: string, runId: string): Promise<string> {
    const claims = {
      token_type: "runner",
      group_id: this.#groupId,
      runner_id: runnerId,
      run_id: runId,
    } satisfies Omit<RunnerClaims, "iat" | "exp">;
    return this.#sign(claims, RUNNER_TOKEN_SECONDS);
  }

  #sign(claims: Record<string, string>, lifetimeSeconds: number): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", kid: this.#groupId })
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeSeconds)
      .sign(this.#key);
  }
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new GroupKeyError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
  }
}

function parseKey(file: string, pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new GroupKeyError(`${file} is not a PEM private key`);
  }
  if (key.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new GroupKeyError(`${file} is not an ECDSA P-256 key`);
  }
  return key;
}
