/** What is published on a code host: comments and statuses. */
import { describe, expect } from "vitest";
import { publishingHost } from "../../src/exchange/scm/host/ports.ts";
import { makeStack } from "../support/fixtures.ts";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { limit, SECONDARY, test } from "../support/scmHostTest.ts";
import type { HostReply } from "../support/scriptedHost.ts";

describe("publishing", () => {
  test("changes the comment it made, finds one by its marker, makes one that is gone anew", async ({ world }) => {
    const { database, host, hosts, orgId } = world;
    await makeIntegration(database, hosts.keyring, orgId, host);
    await hostStack(database, orgId, host);
    const port = publishingHost(database.db, hosts.hosts);
    const at = { orgId, repositoryKey: host.repositoryKey };
    const comment = (commentId: string | null, body: string) =>
      port.putComment(at, { number: 3, commentId, marker: "<!-- m -->", body: `<!-- m --> ${body}` });
    const id = await comment(null, "one");
    expect(await comment(id, "two")).toBe(id);
    expect(await comment(null, "three")).toBe(id);
    expect([...host.comments.values()]).toMatchObject([{ body: "<!-- m --> three" }]);
    host.comments.clear();
    await comment(id, "four");
    expect([...host.comments.values()]).toMatchObject([{ body: "<!-- m --> four" }]);
    host.script = () => ({ status: 403, headers: { "retry-after": "30" } });
    await expect(comment(id, "five")).rejects.toMatchObject({ name: "PublishRefused", notBeforeMs: 30_000 });
  });

  test("finds the integration by any stack's address: an older one that is written otherwise hides nothing", async ({
    world,
  }) => {
    const { database, host, hosts, first, orgId } = world;
    const { host: name } = new URL(host.url);
    await makeStack(database, orgId, {
      repository_url: `ssh://git@${name}/acme/infra.git`,
      repository_key: host.repositoryKey,
    });
    await makeIntegration(database, hosts.keyring, orgId, host, { urlPattern: "^http://" });
    await hostStack(database, orgId, host);
    const at = { orgId, repositoryKey: host.repositoryKey };
    const status = { sha: first, state: "success", context: "preview/any", description: "d", targetUrl: null } as const;
    await publishingHost(database.db, hosts.hosts).putStatus(at, status);
    expect(host.statuses).toContainEqual(expect.objectContaining({ sha: first, context: "preview/any" }));
  });

  test.for<[string, HostReply]>([
    ["a limit", limit(SECONDARY)],
    ["a refusal", { status: 403, body: { message: "Resource not accessible" } }],
  ])("never makes a second comment because the first met %s", async ([_, reply], { world }) => {
    const { database, host, hosts, orgId } = world;
    await makeIntegration(database, hosts.keyring, orgId, host);
    await hostStack(database, orgId, host);
    const port = publishingHost(database.db, hosts.hosts);
    const at = { orgId, repositoryKey: host.repositoryKey };
    const comment = (commentId: string | null, body: string) =>
      port.putComment(at, { number: 4, commentId, marker: "<!-- one -->", body: `<!-- one --> ${body}` });
    const id = await comment(null, "first");
    host.script = ({ method }) => (method === "PATCH" ? reply : undefined);
    for (let i = 0; i < 3; i++) await expect(comment(id, "second")).rejects.toMatchObject({ name: "PublishRefused" });
    host.script = () => undefined;
    expect(await comment(id, "third")).toBe(id);
    expect([...host.comments.values()].filter(({ number }) => number === 4)).toHaveLength(1);
  });

  test("has nobody to tell about a public repository", async ({ world }) => {
    const { database, host, hosts, orgId } = world;
    const port = publishingHost(database.db, hosts.hosts);
    const at = { orgId, repositoryKey: host.repositoryKey };
    expect(await port.putComment(at, { number: 3, commentId: null, marker: "m", body: "m" })).toBeNull();
    expect(host.requests).toEqual([]);
  });
});
