/**
 * Data keys wrapped by keys that AWS KMS makes (`aws-kms-aes-256`). KMS gives a wrapping key (GenerateDataKey), which
 * wraps the data keys of many values here in the process; beside each value lies KMS's ciphertext of that wrapping key:
 *
 *   length of KMS's ciphertext 2 | KMS's ciphertext | data key wrapped (RFC 3394) 40
 *
 * So a value costs no call of its own, and reading needs one per wrapping key. Both caches are bounded in number and
 * time: a process that is taken over gives away what it has held lately, and a key that is disabled stops working
 * within minutes.
 */
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { readCache } from "../cache/readCache.ts";
import { ProblemError } from "../problems/problem.ts";
import { ConfigError } from "../settings/setting.ts";
import { unwrapKey, wrapKey } from "./aes256Wrapper.ts";
import type { KeyOpener } from "./wrapping.ts";
import { DecryptionError } from "./wrapping.ts";

/** A wrapping key is used for so many values, and so long. */
const WRAPS_PER_KEY = 10_000;
const KEY_AGE_MS = 300_000;
const HELD_KEYS = 1_000;
/** Bound to KMS's ciphertext, and shown in its audit log. */
const PURPOSE = { purpose: "svc-data-encryption" };

/** KMS cannot be reached, or is too busy; what is encrypted stays unread until it can. */
class KeyServiceUnavailableError extends ProblemError {
  constructor(cause: unknown) {
    const detail = "The key service cannot be reached; nothing is lost by trying again.";
    super({ status: 503, code: "key_service_unavailable", detail, retryAfterSeconds: 5, cause });
  }
}

/** Answers of KMS to a key that will not work however often it is asked. */
const REFUSALS = new Set([
  "AccessDeniedException",
  "DisabledException",
  "InvalidKeyUsageException",
  "KMSInvalidStateException",
  "NotFoundException",
]);
/** Answers of KMS to bytes that it did not make, or not with this key. */
const NOT_OURS = new Set(["IncorrectKeyException", "InvalidCiphertextException"]);

export interface KmsKey extends KeyOpener {
  keyId: Buffer;
  wrap(dataKey: Buffer): Promise<Buffer>;
  unwrap(wrapped: Buffer): Promise<Buffer>;
  /** @throws ConfigError when KMS refuses the key. An outage passes: the API outlives it. */
  check(): Promise<void>;
}

type WrappingKey = { secret: Buffer; sealed: Buffer; until: number; wraps: number };

export function kmsKey(arn: string, endpoint: string | undefined): KmsKey {
  const client = new KMSClient({
    region: arn.split(":")[3] as string,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000 },
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  const opened = readCache((_name: string, sealed: Buffer) => decrypt(sealed), { max: HELD_KEYS, ttl: KEY_AGE_MS });
  let current: Promise<WrappingKey> | undefined;

  const generate = async (): Promise<WrappingKey> => {
    const command = new GenerateDataKeyCommand({ KeyId: arn, KeySpec: "AES_256", EncryptionContext: PURPOSE });
    const { Plaintext, CiphertextBlob } = await client.send(command);
    if (Plaintext === undefined || CiphertextBlob === undefined) throw new Error("KMS gave no key");
    const key = { secret: Buffer.from(Plaintext), sealed: Buffer.from(CiphertextBlob) };
    return { ...key, until: performance.now() + KEY_AGE_MS, wraps: 0 };
  };

  /** One call at a time makes the next key, whoever waits for it; a failure is not kept. */
  const wrappingKey = async (): Promise<WrappingKey> => {
    const known = current;
    const key = await known;
    if (key !== undefined && key.until > performance.now() && key.wraps < WRAPS_PER_KEY) {
      key.wraps += 1;
      return key;
    }
    if (current === known) {
      const next = generate();
      current = next;
      next.catch(() => {
        if (current === next) current = undefined;
      });
    }
    return wrappingKey();
  };

  const decrypt = async (sealed: Buffer): Promise<Buffer> => {
    const command = new DecryptCommand({ KeyId: arn, CiphertextBlob: sealed, EncryptionContext: PURPOSE });
    const { Plaintext } = await client.send(command).catch((error: unknown) => {
      throw NOT_OURS.has(nameOf(error)) ? new DecryptionError() : new KeyServiceUnavailableError(error);
    });
    if (Plaintext === undefined) throw new DecryptionError();
    return Buffer.from(Plaintext);
  };

  return {
    keyId: Buffer.from(arn, "latin1"),
    async wrap(dataKey) {
      const { secret, sealed } = await wrappingKey().catch((error: unknown) => {
        throw new KeyServiceUnavailableError(error);
      });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(sealed.length);
      return Buffer.concat([length, sealed, wrapKey(secret, dataKey)]);
    },
    async unwrap(wrapped) {
      if (wrapped.length < 2) throw new DecryptionError();
      const end = 2 + wrapped.readUInt16BE(0);
      if (wrapped.length <= end) throw new DecryptionError();
      const sealed = wrapped.subarray(2, end);
      return unwrapKey(await opened.forceFetch(sealed.toString("latin1"), { context: sealed }), wrapped.subarray(end));
    },
    async check() {
      await generate().catch((error: unknown) => {
        if (!REFUSALS.has(nameOf(error))) return;
        throw new ConfigError(
          `SVC_DATA_ENCRYPTION_KMS_KEY is refused by KMS (${nameOf(error)}): it must be enabled, symmetric, and allow kms:GenerateDataKey and kms:Decrypt; for example ${arn}`,
        );
      });
    },
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
