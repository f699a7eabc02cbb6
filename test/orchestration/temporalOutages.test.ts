/**
 * A server that was away is noticed however short it was; a connection that merely ended is none
 * (docs/rules/workflows.md#the-reconciler).
 */
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { startProxy, type TcpProxy } from "../../bench/harness/proxy.ts";
import { openTemporal, type Temporal } from "../../src/orchestration/temporal/client.ts";
import { readIdentity } from "../../src/orchestration/temporal/namespace.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let server: TestTemporal;
beforeAll(async () => {
  server = await freshNamespace();
});
afterAll(() => server.close());

/** A connection through a proxy, with the number of times it told of an outage. */
async function watched(test: (temporal: Temporal, proxy: TcpProxy, outages: () => number) => Promise<void>) {
  const [host = "", port] = inject("temporalAddress").split(":");
  const proxy = await startProxy({ host, port: Number(port) });
  const temporal = openTemporal({
    address: `127.0.0.1:${proxy.port}`,
    namespace: server.namespace,
    tlsCaFile: undefined,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
  });
  let outages = 0;
  temporal.onAway(() => outages++);
  try {
    await readIdentity(temporal);
    await test(temporal, proxy, () => outages);
  } finally {
    await temporal.close();
    await proxy.close();
  }
}

it("tells of an outage between two calls, though the server is back before the next", () =>
  watched(async (temporal, proxy, outages) => {
    expect(outages()).toBe(0);
    proxy.cut();
    await waitFor(() => outages() > 0, { what: "the outage to be noticed" });
    proxy.mend();
    await waitFor(() => readIdentity(temporal), { what: "the server to answer again" });
    const before = outages();
    proxy.cut();
    await waitFor(() => outages() > before, { what: "the second outage to be noticed" });
  }));

it("says nothing of connections that end while the server is there, and opens the next by itself", () =>
  watched(async (temporal, proxy, outages) => {
    for (let round = 0; round < 10; round++) {
      const opened = proxy.opened();
      proxy.cut();
      proxy.mend();
      await waitFor(() => proxy.opened() > opened, { what: "the connection to be opened again" });
      expect(await readIdentity(temporal)).not.toBeNull();
    }
    expect(outages()).toBe(0);
  }));

it("is silent after its close", () =>
  watched(async (temporal, proxy, outages) => {
    await temporal.close();
    proxy.cut();
    const later = proxy.opened();
    await watched(async (_, other, noticed) => {
      other.cut();
      await waitFor(() => noticed() > 0, { what: "another connection to notice" });
    });
    expect([outages(), proxy.opened()]).toEqual([0, later]);
  }));
