import { ConfigError } from "../settings/setting.ts";
import { localKey } from "./aes256Wrapper.ts";
import { openEnvelope, type Place, sealEnvelope } from "./envelope.ts";
import { kmsKey } from "./kmsWrapper.ts";
import { openFrames, type StreamLengths, sealFrames } from "./sealedStream.ts";
import { DecryptionError, type KeyWrapper } from "./wrapping.ts";

/** A step between two streams, as `pipeline` and `Readable.from` take it. */
export type ByteStep = (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Buffer, void>;

/**
 * Encryption at rest (docs/rules/secrets.md#encrypted-at-rest). What was sealed for one place opens only at that
 * place.
 */
export interface Keyring {
  /** @throws KeyServiceUnavailableError */
  seal(plaintext: Buffer, place: Place): Promise<Buffer>;
  /**
   * @throws DecryptionError for an unknown key, changed bytes or another place; it does not say which.
   * KeyServiceUnavailableError
   */
  open(envelope: Buffer, place: Place): Promise<Buffer>;
  /** For bytes too large to hold: memory stays at a few frames of 1 MiB. */
  sealStream(place: Place): ByteStep;
  /**
   * Every frame is checked before its bytes come out; a cut stream ends in DecryptionError, after a true prefix, or
   * before any byte where its lengths are given.
   */
  openStream(place: Place, lengths?: StreamLengths): ByteStep;
}

/** A keyring with what a rotation needs besides. */
export interface RotatingKeyring extends Keyring {
  /** Id of the key that seals: what an envelope written from now on begins with. */
  readonly sealingKeyId: Buffer;
  /** Whether one of the listed keys has this id. */
  knows(keyId: Buffer): boolean;
  /** At boot. @throws ConfigError when a key service refuses the current key; an outage passes. */
  check(): Promise<void>;
}

/** The provider with its own key, and the keys of either provider that only open. */
export type EncryptionSettings = {
  provider: "aes-256" | "aws-kms-aes-256";
  /** 32 bytes each; they only open. */
  previousKeys: Buffer[];
  /** With `aes-256`: 32 bytes that seal. */
  key?: Buffer | undefined;
  /** With `aws-kms-aes-256`: the ARN of the key that seals. */
  kmsKey?: string | undefined;
  /** ARNs; they only open. */
  previousKmsKeys?: string[];
  kmsEndpoint?: string | undefined;
};

/**
 * The keyring of the configured provider: the current key seals, the previous ones only open.
 * @throws ConfigError when a key is missing, has the wrong length or is listed twice as current and previous.
 */
export function createKeyring(encryption: EncryptionSettings): RotatingKeyring {
  const { previousKeys, previousKmsKeys = [], kmsEndpoint } = encryption;
  const current = currentKey(encryption);
  const previous = [...previousKeys.map(localKey), ...previousKmsKeys.map((arn) => kmsKey(arn, kmsEndpoint))];
  const openers = new Map([current, ...previous].map((key) => [idText(key.keyId), key]));
  if (openers.size !== previous.length + 1) throw repeated(encryption.provider);
  const keys: KeyWrapper = {
    wrap: async (dataKey) => ({ keyId: current.keyId, wrapped: await current.wrap(dataKey) }),
    unwrap: async (keyId, wrapped) => {
      const opener = openers.get(idText(keyId));
      if (opener === undefined) throw new DecryptionError();
      return opener.unwrap(wrapped);
    },
  };
  return {
    ...keyringOver(keys),
    sealingKeyId: current.keyId,
    knows: (keyId) => openers.has(idText(keyId)),
    check: async () => {
      if ("check" in current) await current.check();
    },
  };
}

function currentKey({ provider, key, kmsKey: arn, kmsEndpoint }: EncryptionSettings) {
  if (provider === "aes-256" && key !== undefined) return localKey(key);
  if (provider === "aws-kms-aes-256" && arn !== undefined) return kmsKey(arn, kmsEndpoint);
  throw new ConfigError(`SVC_DATA_ENCRYPTION_PROVIDER is ${provider}, for example aes-256, but its key is not set`);
}

function repeated(provider: string): ConfigError {
  const kind = provider === "aes-256" ? "KEYS" : "KMS_KEYS";
  return new ConfigError(
    `SVC_DATA_ENCRYPTION_PREVIOUS_${kind} repeats a key; for example list only the keys used before the current one`,
  );
}

function idText(keyId: Buffer): string {
  return keyId.toString("latin1");
}

/** A keyring over any way of wrapping data keys. */
function keyringOver(keys: KeyWrapper): Keyring {
  return {
    seal: (plaintext, place) => sealEnvelope(keys, plaintext, place),
    open: (envelope, place) => openEnvelope(keys, envelope, place),
    sealStream: (place) => (source) => sealFrames(keys, place, source),
    openStream: (place, lengths) => (source) => openFrames(keys, place, source, lengths),
  };
}
