/** Deliveries to a scripted target: what those tests begin with. */
import { fanOut } from "../../src/exchange/notifications/fanOut.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore } from "./core.ts";
import { makeNotifier, tellEvent } from "./notifications.ts";
import { NotificationTarget } from "./notificationTarget.ts";
import { testHosts } from "./scm.ts";
import { freshNamespace } from "./temporal.ts";
import { peopleTest } from "./test.ts";
import { waitFor } from "./waitFor.ts";

export const SCHEDULE = [100, 200, 300];

const LONG = { status: 503, headers: { "retry-after": "3600" } } as const;
export const test = peopleTest({ env: { SVC_EGRESS_ALLOW: "127.0.0.1" } })
  .extend("temporal", { scope: "file" }, async ({}, { onCleanup }) => {
    const temporal = await freshNamespace();
    onCleanup(() => temporal.close());
    return temporal;
  })
  .extend("hosts", { scope: "file" }, ({ api }, { onCleanup }) => {
    const hosts = { ...testHosts(), keyring: api.keyring };
    onCleanup(() => hosts.egress.close());
    return hosts;
  })
  .extend("core", { scope: "file" }, ({ api, temporal }, { onCleanup }) => {
    const core = openCore(api.database, temporal);
    onCleanup(() => core.close());
    return core;
  })
  .extend("target", () => NotificationTarget.start())
  .extend("orgId", ({ api }) => api.makeOrg())
  .extend("token", async ({ api, orgId }) => (await api.makeAccount(orgId, [["notification_integration", "*"]])).token)
  .extend("world", ({ target, api, orgId, core, token }) => {
    const notifier = (columns: object = {}, auth: object = {}, to = target) =>
      makeNotifier(api.database, api.keyring, orgId, { url: to.url, ...auth }, columns as Record<string, unknown>);
    const tell = (name: Parameters<typeof tellEvent>[1]["name"] = "scm_sync_failed", more: object = {}) =>
      tellEvent(core.service, { orgId, name, ...more });
    const arrived = (count: number, at = target) =>
      waitFor(() => at.received.length >= count, { what: `${count} requests`, timeoutMs: 45_000 });
    const rows = (of = orgId) =>
      api.database.sql`select * from notification_deliveries where org_id = ${of} order by created_at, id`;
    const becomes = (status: string) =>
      waitFor(async () => (await rows()).find((row) => row.status === status), {
        what: `a ${status} delivery`,
        timeoutMs: 45_000,
      });
    const none = () =>
      waitFor(async () => (await rows()).length === 0, { what: "no delivery left", timeoutMs: 45_000 });
    const ended = (id: string) =>
      waitFor(async () => (await core.temporal.describe(workflowIds.notification(id)))?.open === false, {
        what: "the workflow to end",
      });
    const people = (method: string, path: string, body?: object) =>
      api.call(method, `/api/v1/orgs/${orgId}${path}`, { token, ...(body && { body }) });

    async function waiting(): Promise<{ id: string; integration: string }> {
      const integration = await notifier();
      target.answer = () => LONG;
      await tell();
      const row = await waitFor(async () => (await rows()).find(({ attempts }) => attempts === 1), {
        what: "a first attempt",
      });
      return { id: row.id, integration };
    }
    const recipients = async (event: string) =>
      (await api.database.sql`select integration_id from notification_deliveries where domain_event_id = ${event}`).map(
        (row) => row.integration_id as string,
      );

    /** Nothing is sent: what would be is looked at. */
    const made = async (event: string) => {
      await fanOut(api.service, undefined, event);
      return (await recipients(event)).sort();
    };
    const store = (name: Parameters<typeof tellEvent>[1]["name"], more: object = {}) =>
      tellEvent({ ...api.service, sendSoon: () => {} }, { orgId, name, ...more });

    return { notifier, tell, arrived, rows, becomes, none, ended, people, waiting, recipients, made, store };
  });
