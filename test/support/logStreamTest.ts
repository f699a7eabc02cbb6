/** The log as people follow it, over a server of its own: what those tests begin with. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { logReading, logsRoute } from "../../src/core/logs/readLogs.ts";
import type { Queryable } from "../../src/platform/db/client.ts";
import { problemResponse } from "../../src/platform/problems/problem.ts";
import type { TestDatabase } from "./database.ts";
import { bytesOf, type EventStream, openEventStream, type StreamEvent } from "./eventStream.ts";
import { create, makeOrg, makeStack } from "./fixtures.ts";
import { coordinator, type RunnerApi, runner } from "./runnerApi.ts";
import { runnerTest } from "./test.ts";

export const CHUNK = 65_536;
/** What readers of the served log may do, and what they cost. */
export const watch = {
  /** Asked again and again while a stream is followed. */
  mayStillRead: async (_method: string): Promise<void> => {},
  statements: 0,
  objects: 0,
};

/** The route of logs at a server of its own. */
async function serveLogs(api: RunnerApi, database: TestDatabase) {
  const { objects, keyring, graceMs } = api.deps;
  const db: Queryable = new Proxy(database.db, {
    get(target, name, receiver) {
      if (name === "execute") watch.statements++;
      return Reflect.get(target, name, receiver);
    },
  });
  const counted = {
    getSealed: (...place: Parameters<typeof objects.getSealed>) => {
      watch.objects++;
      return objects.getSealed(...place);
    },
  };
  const reading = logReading({ db, objects: counted, keyring, graceMs }, () => {}, 20);
  const read = logsRoute(reading);
  const app = new Hono().get("/:id", (c) => read(c, c.req.param("id"), () => watch.mayStillRead(c.req.method)));
  app.onError((error) => problemResponse(error, "test"));
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    reading,
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      reading.feed.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const joined = (events: StreamEvent[]) =>
  Buffer.concat(events.filter((event) => event.event === "log").map((event) => bytesOf(event)));

/** Read until `size` bytes came. */
export async function take(stream: EventStream, size: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  while (joined(events).length < size) {
    const event = await stream.next();
    if (event === null) throw new Error(`the stream ended after ${joined(events).length} bytes`);
    events.push(event);
  }
  return events;
}

export const test = runnerTest()
  .extend("logs", { scope: "file" }, async ({ api, database }, { onCleanup }) => {
    const logs = await serveLogs(api, database);
    onCleanup(() => logs.close());
    return logs;
  })
  .extend("world", { scope: "file" }, async ({ database, api, logs }) => {
    const org = await makeOrg(database);

    async function running() {
      const deploymentId = await create(api.service, await makeStack(database, org.orgId));
      const started = await runner(api, org, await (await coordinator(api, org)).claim());
      await started.accept();
      return { deploymentId, runner: started };
    }

    function follow(deploymentId: string, { query = "", after }: { query?: string; after?: string } = {}) {
      return openEventStream(
        `${logs.base}/${deploymentId}${query}`,
        after === undefined ? {} : { "last-event-id": after },
      );
    }

    /** Follow from `from`, leave after every `patience` events, come back to where the last event left it. */
    async function impatient(deploymentId: string, from: number, patience: number): Promise<StreamEvent[]> {
      const events: StreamEvent[] = [];
      for (;;) {
        const stream = await follow(deploymentId, { query: `?offset=${from}`, after: events.at(-1)?.id ?? "" });
        // The last event that was taken was the last of the log.
        if (stream.status === 204) return events;
        for (let taken = 0; taken < patience; taken++) {
          const event = await stream.next();
          if (event === null) throw new Error("the stream ended without an end");
          events.push(event);
          if (event.event === "end") return events;
        }
        stream.close();
      }
    }

    return { running, follow, impatient, org };
  });
