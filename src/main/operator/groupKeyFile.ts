/** A runner group's private key in a file of the operator's, as its coordinator reads it. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fingerprintOf, generateGroupKeyPair } from "../../core/runnerIdentity/keys.ts";

type PublicHalf = { publicKeyPem: string; fingerprint: string };

/**
 * The public half of the key in `path`. A missing file is made with a fresh key when `create` says so (mode 0600), else
 * the answer is null. An existing file is never overwritten.
 * @throws when the file holds no P-256 private key
 */
export async function groupKeyFile(path: string, { create }: { create: boolean }): Promise<PublicHalf | null> {
  try {
    return publicHalf(path, await readFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (!create) return null;
  const { privateKeyPem, publicKeyPem, fingerprint } = generateGroupKeyPair();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, privateKeyPem, { mode: 0o600, flag: "wx" });
  return { publicKeyPem, fingerprint };
}

function publicHalf(path: string, pem: Buffer): PublicHalf {
  let publicKeyPem: string;
  try {
    const key = createPublicKey(createPrivateKey(pem));
    if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") throw new Error("another kind of key");
    publicKeyPem = key.export({ type: "spki", format: "pem" }) as string;
  } catch {
    // The cause may quote the file, so it is left behind.
    throw new Error(`${path} holds no ECDSA P-256 private key`);
  }
  return { publicKeyPem, fingerprint: fingerprintOf(publicKeyPem) };
}
