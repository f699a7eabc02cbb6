/** A worker killed in the middle of a notification's attempt: it comes again, the same in id and bytes. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect } from "vitest";
import { freePorts } from "../../src/main/dev/ports.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { makeOrg, testService } from "../support/fixtures.ts";
import { makeNotifier, tellEvent } from "../support/notifications.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { freshNamespace } from "../support/temporal.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";
import { startWorkerProcess } from "../support/workerProcess.ts";

const test = databaseTest()
  .extend("temporal", { scope: "file" }, async ({}, { onCleanup }) => {
    const temporal = await freshNamespace();
    onCleanup(() => temporal.close());
    return temporal;
  })
  .extend("target", { scope: "file" }, async ({}, { onCleanup }) => {
    const target = await NotificationTarget.start();
    onCleanup(() => target.stop());
    return target;
  });

test("arrives at least once", { timeout: 120_000 }, async ({ database, temporal, target, folder }) => {
  const key = randomBytes(32);
  const { orgId } = await makeOrg(database);
  const keyring = createKeyring({ provider: "aes-256", key, previousKeys: [] });
  await makeNotifier(database, keyring, orgId, { url: target.url, secret: "s" });
  const start = async (name: string) => {
    const [port] = await freePorts(1);
    const env = {
      SVC_DATABASE_URL: database.url,
      SVC_EXPLORE_DATABASE_URL: database.url,
      SVC_TEMPORAL_ADDRESS: temporal.address,
      SVC_TEMPORAL_NAMESPACE: temporal.namespace,
      SVC_OBJECTS_URL: `file://${folder}/objects`,
      SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
      SVC_DATA_ENCRYPTION_KEY: key.toString("base64"),
      SVC_EGRESS_ALLOW: "127.0.0.1",
      SVC_WORKER_LISTEN: `127.0.0.1:${port}`,
    };
    return startWorkerProcess(env, join(folder, `${name}.log`));
  };
  target.answer = () => (target.received.length === 1 ? "hang" : { status: 204 });
  const first = await start("first");
  await tellEvent(testService(database), { orgId, name: "scm_sync_failed", data: { attempt_count: 8 } });
  await waitFor(() => target.received.length === 1, { what: "the first attempt" });
  await first.stop("SIGKILL");
  const second = await start("second");
  await waitFor(() => target.received.length === 2, { what: "the second attempt", timeoutMs: 60_000 });
  const sent = target.received.map(({ headers, body }) => [
    headers["x-svc-delivery"],
    headers["x-svc-signature-256"],
    body,
  ]);
  expect(sent[1]).toEqual(sent[0]);
  const left = () => database.sql`select 1 from notification_deliveries`;
  await waitFor(async () => (await left()).length === 0, { what: "it to leave the list" });
  await second.stop();
});
