import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  NoSuchKey,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { assertKey, type ObjectStore, objectsUrlError, StorageUnavailableError, WatchedSource } from "./store.ts";

/** Two parts in flight keep an upload's memory at 16 MiB; 10,000 parts of this size allow 80 GiB. */
const PART_BYTES = 8 * 1_048_576;

/**
 * Objects in a bucket: `s3://bucket/prefix?region=R&endpoint=URL`. Credentials come the way the AWS SDK finds them. An
 * endpoint means an S3-compatible server, which is addressed by path and spared the newer checksum headers.
 * @throws ConfigError
 */
export function s3Store(url: URL): ObjectStore {
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{2,62}$/.test(bucket)) throw objectsUrlError("names no valid bucket");
  const prefix = url.pathname.replace(/^\/+|\/+$/g, "");
  const client = new S3Client(clientOptions(url.searchParams));
  const named = (key: string) => {
    assertKey(key);
    return { Bucket: bucket, Key: prefix === "" ? key : `${prefix}/${key}` };
  };

  return {
    async put(key, source) {
      const target = named(key);
      const watched = new WatchedSource(source);
      const body = Readable.from(watched.bytes(), { objectMode: false });
      const upload = new Upload({ client, params: { ...target, Body: body }, partSize: PART_BYTES, queueSize: 2 });
      try {
        await upload.done();
        return { size: watched.size };
      } catch (error) {
        // The SDK may give up between two reads; without this the source's own socket or file would stay open.
        body.destroy();
        throw watched.blame(error);
      }
    },

    async get(key) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand(named(key)));
        if (!(Body instanceof Readable) || ContentLength === undefined) throw new Error("the store sent no body");
        return { size: ContentLength, body: Body };
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error instanceof TypeError ? error : new StorageUnavailableError(error);
      }
    },

    async delete(key) {
      const target = named(key);
      await client.send(new DeleteObjectCommand(target)).catch((error: unknown) => {
        throw new StorageUnavailableError(error);
      });
    },

    async check() {
      await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
        throw new StorageUnavailableError(error);
      });
    },
  };
}

function clientOptions(query: URLSearchParams): S3ClientConfig {
  for (const name of query.keys()) {
    if (name !== "region" && name !== "endpoint") throw objectsUrlError("has an unknown option");
  }
  const region = query.get("region");
  const endpoint = query.get("endpoint");
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? "")) {
    throw objectsUrlError("has a malformed endpoint");
  }
  return {
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
    ...(region === null ? {} : { region }),
    ...(endpoint === null
      ? {}
      : {
          endpoint,
          forcePathStyle: true,
          requestChecksumCalculation: "WHEN_REQUIRED",
          responseChecksumValidation: "WHEN_REQUIRED",
        }),
  };
}
