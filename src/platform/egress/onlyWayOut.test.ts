/**
 * Nothing leaves but through the egress client: whatever can open a connection may be imported or called only in the
 * files named here, each with its reason (docs/rules/secrets.md#outbound-calls). A new way out fails this test until
 * somebody has thought about it.
 */
import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** What opens connections by itself: modules, and the platform's own functions. */
const CONNECTS =
  /(?:from|import\(|require\()\s*["'](?:undici|node:(?:https?2?|net|tls|dgram|dns(?:\/promises)?|child_process)|https?2?|net|tls|dgram|dns|axios|got|node-fetch|ws|@aws-sdk\/[\w-]+|@opentelemetry\/exporter-[\w-]+|@octokit\/[\w-]+|@google-cloud\/[\w-]+|google-auth-library|@slack\/[\w-]+|openid-client|oauth4webapi|nodemailer)["']|(?<![\w.])fetch\(|globalThis\.fetch|new (?:WebSocket|EventSource)\(/;

/** Types alone open nothing. */
const TYPES_ONLY = /^import type .*$/gm;

const ALLOWED: Record<string, string> = {
  "src/platform/egress/egress.ts": "the one way out",
  "src/platform/egress/socket.ts": "the same for what is not HTTP, behind the same check of the address",
  "src/platform/egress/resolver.ts": "asks the machine's name servers, for the egress client",
  "src/platform/egress/txtRecords.ts": "TXT records from the machine's own name servers, which no caller names",
  "src/people/sso/confirmationPage.ts": "the script of a page, which runs in a browser",
  "src/people/devices/devicePage.ts": "the script of a page, which runs in a browser",
  "src/exchange/scm/host/transport.ts": "octokit's request, whose fetch is the egress client",
  "src/people/sso/egressFetch.ts": "oauth4webapi, whose fetch is the egress client",
  "src/people/sso/beginSignIn.ts": "oauth4webapi's random values; asks nobody",
  "src/people/sso/codehost.ts": "oauth4webapi over egressFetch",
  "src/people/sso/oidc.ts": "oauth4webapi over egressFetch",
  "src/people/sso/discovery.ts": "oauth4webapi over egressFetch",
  "src/people/sso/errors.ts": "oauth4webapi's error classes",
  "src/exchange/scm/resolveCommit.ts": "git ls-remote, pinned to the addresses that the egress client checked",
  "src/exchange/notifications/mail/sendMail.ts":
    "nodemailer on a socket of the egress client, also to the operator's own mail server",
  "src/core/policies/compile.ts": "opa build, which compiles a policy and asks nobody",
  "src/platform/objects/s3Store.ts": "the operator's own object store, named in the settings",
  "src/core/cloud/aws/provider.ts":
    "the AWS SDK over the egress client; finding the service's own identity is the SDK's business",
  "src/core/cloud/gcp/provider.ts":
    "Google's library over the egress client; finding the service's own identity is its business",
  "src/platform/crypto/kmsWrapper.ts": "the operator's own key service, named in the settings",
  "src/platform/telemetry/traces.ts": "the operator's own trace collector, named in the settings",
  "src/main/dev/binary.ts": "set-up of a local installation: the official Temporal binary",
  "src/orchestration/temporal/sdkMetrics.ts": "the SDK's metrics on this process's loopback address",
};
/** A local installation and the demo: never part of a production program. */
const DEVELOPMENT = /^src\/main\/(dev|demo)\//;
/** Listening and looking at addresses is no way out. */
const LISTENS =
  /import \{(?![^}]*\b(?:connect|createConnection|request|get)\b)[^}]*\b(?:isIP|createServer|AddressInfo|STATUS_CODES)\b[^}]*\} from ["']node:(?:net|http)["']/g;

async function sources(): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob("{src,workflows,activities}/**/*.ts", { cwd: ROOT })) {
    if (!file.endsWith(".test.ts")) found.push(file);
  }
  return found.sort();
}

const opens = (text: string) =>
  CONNECTS.test(
    text
      .replace(TYPES_ONLY, "")
      .replace(LISTENS, "")
      .replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ""),
  );

it("only the files named open connections", async () => {
  const files = await sources();
  expect(files.length).toBeGreaterThan(200);
  const found: string[] = [];
  for (const file of files) if (opens(await readFile(ROOT + file, "utf8"))) found.push(file);
  expect(found.filter((file) => !DEVELOPMENT.test(file) && !Object.hasOwn(ALLOWED, file))).toEqual([]);
  // A name that opens nothing any more has no place in the list.
  expect(Object.keys(ALLOWED).filter((file) => !found.includes(file))).toEqual([]);
});

it("notices every way there is", () => {
  const ways = [
    'import { request } from "undici";',
    'import https from "node:https";',
    'import { connect } from "node:net";',
    'import { connect, isIP, type Socket } from "node:net";',
    'import { STSClient } from "@aws-sdk/client-sts";',
    'const { GoogleAuth } = await import("google-auth-library");',
    "const answer = await fetch(url);",
    "await globalThis.fetch(url);",
    'new WebSocket("wss://x")',
  ];
  for (const way of ways) expect([way, opens(way)]).toEqual([way, true]);
  for (const none of [
    'import type { LookupFunction } from "node:net";',
    "const app = { fetch: (r) => r };",
    "// a fetch(url)",
  ]) {
    expect([none, opens(none)]).toEqual([none, false]);
  }
});
