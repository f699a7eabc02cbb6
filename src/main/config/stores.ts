/** Where the facts, the workflows and the objects are kept, and what encrypts them. */
import * as v from "valibot";
import { hasKnownTlsMode, TLS_MODES } from "../../platform/db/address.ts";
import {
  arns,
  byteKeys,
  bytesKey,
  duration,
  integer,
  kmsKeyArn,
  onOff,
  serviceUrl,
  text,
} from "../../platform/settings/formats.ts";
import { optional, required, withDefault } from "../../platform/settings/setting.ts";

const postgresUrl = v.pipe(
  serviceUrl(["postgres:", "postgresql:"]),
  v.check(hasKnownTlsMode, `expected sslmode to be ${TLS_MODES.join(", ")}`),
);
const POSTGRES_EXAMPLE = "postgres://svc:secret@db.internal:5432/svc?sslrootcert=/etc/svc/postgres-ca.pem";
const KEY_EXAMPLE = "the output of: openssl rand -base64 32";
const KMS_KEY_EXAMPLE = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";

export const STORES = {
  database: {
    url: required("SVC_DATABASE_URL", postgresUrl, {
      what: "the database that holds every fact; with TLS unless it is on this machine: [how](#the-way-to-postgres)",
      unit: "URL",
      example: POSTGRES_EXAMPLE,
      secret: true,
    }),
    exploreUrl: required("SVC_EXPLORE_DATABASE_URL", postgresUrl, {
      what: "the database of the resource index and findings; may be the same server",
      unit: "URL",
      example: "postgres://svc:secret@db.internal:5432/svc_explore",
      secret: true,
    }),
    readUrl: optional("SVC_DATABASE_READ_URL", postgresUrl, {
      what: "a streaming replica of it that the API reads pages of lists from; unset: from the database itself: [how](#a-read-replica)",
      unit: "URL",
      example: "postgres://svc:secret@db-read.internal:5432/svc?sslrootcert=/etc/svc/postgres-ca.pem",
      secret: true,
    }),
    exploreReadUrl: optional("SVC_EXPLORE_DATABASE_READ_URL", postgresUrl, {
      what: "the same of the explore database; may be the same server",
      unit: "URL",
      example: "postgres://svc:secret@db-read.internal:5432/svc_explore",
      secret: true,
    }),
    readPoolSize: withDefault("SVC_DATABASE_READ_POOL", integer(1, 500), "10", {
      what: "connections per API process to each replica, and one more that looks after it",
      unit: "connections",
    }),
    poolSize: withDefault("SVC_DATABASE_POOL", integer(1, 500), "10", {
      what: "connections per process for people's routes, activities and the relay",
      unit: "connections",
    }),
    runnerPoolSize: withDefault("SVC_DATABASE_RUNNER_POOL", integer(1, 500), "10", {
      what: "connections per API process kept for runner routes alone",
      unit: "connections",
    }),
    statementMs: withDefault("SVC_DATABASE_STATEMENT_TIMEOUT", duration, "PT30S", {
      what: "longest statement of the API, for people's, runners' and explore reads each; a longer one ends as an error",
      unit: "duration",
    }),
  },
  temporal: {
    address: required("SVC_TEMPORAL_ADDRESS", text(/^[^\s/:]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/, "host:port"), {
      what: "the Temporal cluster's front end",
      unit: "host:port",
      example: "temporal.internal:7233",
    }),
    namespace: withDefault("SVC_TEMPORAL_NAMESPACE", text(/^[\w.-]{1,200}$/, "a namespace name"), "deployments", {
      what: "the namespace all workflows live in",
      unit: "name",
    }),
    tls: optional("SVC_TEMPORAL_TLS", onOff, {
      what: "whether the cluster is reached with TLS; unset: where a file below or an API key is set. Without a file the machine's own authorities count",
      unit: "on or off",
      example: "on",
    }),
    apiKey: optional("SVC_TEMPORAL_API_KEY", text(/^\S+$/, "a key without spaces"), {
      what: "API key of the cluster, as of Temporal Cloud; sent with each call, with TLS alone",
      unit: "text",
      example: "the key that the cluster's console shows",
      secret: true,
    }),
    tlsCaFile: optional("SVC_TEMPORAL_TLS_CA_FILE", text(/^\S.*$/, "a file path"), {
      what: "PEM file of the authority that signed the cluster's certificate",
      unit: "path",
      example: "/etc/svc/temporal-ca.pem",
    }),
    tlsCertFile: optional("SVC_TEMPORAL_TLS_CERT_FILE", text(/^\S.*$/, "a file path"), {
      what: "PEM file of the client certificate",
      unit: "path",
      example: "/etc/svc/temporal.pem",
    }),
    tlsKeyFile: optional("SVC_TEMPORAL_TLS_KEY_FILE", text(/^\S.*$/, "a file path"), {
      what: "PEM file of the client key",
      unit: "path",
      example: "/etc/svc/temporal-key.pem",
    }),
  },
  objects: {
    url: required("SVC_OBJECTS_URL", serviceUrl(["file:", "s3:"]), {
      what: "where plan artifacts, sealed logs and sources are kept, encrypted",
      unit: "URL",
      example: "s3://bucket/prefix?region=eu-west-1 or file:///var/lib/svc/objects",
      secret: true,
    }),
  },
  encryption: {
    provider: required(
      "SVC_DATA_ENCRYPTION_PROVIDER",
      v.picklist(["aes-256", "aws-kms-aes-256"], "expected aes-256 or aws-kms-aes-256"),
      {
        what: "how secrets and artifacts are encrypted at rest: by a key of your own or by keys that AWS KMS makes",
        unit: "name",
        example: "aes-256",
      },
    ),
    key: optional("SVC_DATA_ENCRYPTION_KEY", bytesKey(32), {
      what: "with aes-256: the key that encrypts; 32 random bytes",
      unit: "base64",
      example: KEY_EXAMPLE,
      secret: true,
    }),
    previousKeys: withDefault("SVC_DATA_ENCRYPTION_PREVIOUS_KEYS", byteKeys(32), "", {
      what: "keys that only decrypt, so that a key can be rotated; comma-separated; with either provider",
      unit: "base64 list",
      secret: true,
    }),
    kmsKey: optional("SVC_DATA_ENCRYPTION_KMS_KEY", kmsKeyArn, {
      what: "with aws-kms-aes-256: the KMS key that encrypts, a symmetric one; its ARN, not an alias",
      unit: "ARN",
      example: KMS_KEY_EXAMPLE,
    }),
    previousKmsKeys: withDefault("SVC_DATA_ENCRYPTION_PREVIOUS_KMS_KEYS", arns, "", {
      what: "KMS keys that only decrypt; comma-separated; with either provider",
      unit: "ARN list",
    }),
    kmsEndpoint: optional("SVC_DATA_ENCRYPTION_KMS_ENDPOINT", serviceUrl(["https:", "http:"]), {
      what: "address of KMS when it is not the public one of the key's region",
      unit: "URL",
      example: "https://vpce-0123.kms.eu-west-1.vpce.amazonaws.com",
    }),
  },
};
