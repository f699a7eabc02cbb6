/** How the cluster is reached: TLS, and the API key with each call of client and worker. */

import { writeFile } from "node:fs/promises";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { openTemporal } from "../../src/orchestration/temporal/client.ts";
import { startCoreWorker } from "../../src/orchestration/temporal/worker.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { LOCAL_AUTHORITY, LOCAL_CERTIFICATE, LOCAL_KEY } from "../support/localCertificate.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const log = createLogger("silent", "test");

const test = databaseTest().extend("world", { scope: "file" }, async ({ folder }, { onCleanup }) => {
  const tlsCaFile = join(folder, "temporal-ca.pem");
  await writeFile(tlsCaFile, LOCAL_AUTHORITY);
  /** What came with each call, and nothing that was asked is there. */
  const calls: { path: string; authorization: string | undefined }[] = [];
  const server = createSecureServer({ key: LOCAL_KEY, cert: LOCAL_CERTIFICATE });
  server.on("stream", (stream, headers) => {
    calls.push({ path: String(headers[":path"]), authorization: headers.authorization });
    stream.respond({ ":status": 200, "content-type": "application/grpc", "grpc-status": "12" }, { endStream: true });
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onCleanup(async () => {
    for (const session of sessions) session.destroy();
    await closed(server);
  });
  const settings = {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    namespace: "deployments",
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
    tlsCaFile,
  };
  return { calls, settings };
});

test("the client's calls have the key, and go to nobody whose certificate is another's", async ({ world }) => {
  const { calls, settings } = world;
  const temporal = openTemporal({ ...settings, apiKey: "the-key" });
  await expect(temporal.describe("deployment/x")).rejects.toThrow();
  await temporal.close();
  expect(calls.length).toBeGreaterThan(0);
  expect(new Set(calls.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer the-key"]));
  const before = calls.length;
  const unknown = openTemporal({ ...settings, tlsCaFile: undefined, apiKey: "the-key" });
  await expect(unknown.describe("deployment/x")).rejects.toThrow();
  await unknown.close();
  expect(calls).toHaveLength(before);
});

test("the worker's calls have the key", async ({ world }) => {
  const { calls, settings } = world;
  const before = calls.length;
  const worker = startCoreWorker({
    settings: { ...settings, apiKey: "the-worker's-key" },
    taskQueue: "core",
    activities: { nothing: () => undefined },
    log,
  });
  await waitFor(async () => calls.length > before, { what: "the worker to have called" });
  await worker.close();
  expect(new Set(calls.slice(before).map(({ authorization }) => authorization))).toEqual(
    new Set(["Bearer the-worker's-key"]),
  );
});

function closed(server: Http2SecureServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
