/** What goes out for a tenant has an end for that tenant alone (docs/rules/secrets.md#outbound-calls). */
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import { TenantGate } from "../../src/platform/egress/tenantGate.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_EGRESS_PER_ORG: "2" } })
  .extend("silent", { scope: "file" }, async ({}, { onCleanup }) => {
    const paths: string[] = [];
    const server = createServer(({ url = "" }) => void paths.push(url));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onCleanup(() => {
      server.closeAllConnections();
      server.close();
    });
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      asked: (below: string) => paths.filter((path) => path.startsWith(below)).length,
    };
  })
  .extend("answering", { scope: "file" }, async ({}, { onCleanup }) => {
    const server = createServer((_request, response) => response.end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onCleanup(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

test("test sends that hang are refused beyond an organization's places, and another's go through", {
  timeout: 30_000,
}, async ({ api, silent, answering }) => {
  const sender = async (url: string) => {
    const org = await api.makeOrg();
    const { token } = await api.makeAccount(org, [["*", "*"]]);
    const path = `/api/v1/orgs/${org}/notification-integrations`;
    const body = {
      name: "n",
      provider_type: "webhook",
      events: ["deployment_failed"],
      provider_config: {},
      auth_config: { url },
    };
    const made = await api.call("POST", path, { token, body });
    expect(made.status, made.text).toBe(201);
    return () => api.call("POST", `${path}/${made.body.id}/test`, { token });
  };
  const slow = await sender(`${silent.url}/hook`);
  const quick = await sender(answering);
  const hanging = Array.from({ length: 12 }, slow);
  await expect.poll(() => silent.asked("/hook"), { timeout: 10_000 }).toBe(2);
  expect((await quick()).body).toEqual({ result: "2xx" });
  const answers = await Promise.all(hanging);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(8);
  expect(refused[0]?.body).toMatchObject({ code: "rate_limited" });
  for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeOneOf([5, 6, 7, 8]);
  expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(12);
});

test("hanging repositories hold so many processes of git, and no more", async ({ silent }) => {
  const turns = new TenantGate({ perTenant: 2, total: 3, waitMs: 100 });
  const settings = { allowProtocol: ["http"], checkHost: async () => [], timeoutMs: 3_000, turns };
  const heads = ["a", "a", "a", "a", "b", "b"].map((orgId) =>
    resolveHead(settings, { orgId, repositoryUrl: `${silent.url}/acme/infra.git`, branch: "main" }).catch(
      ({ status }: { status: number }) => status,
    ),
  );
  await expect.poll(() => silent.asked("/acme"), { timeout: 10_000 }).toBe(3);
  expect((await Promise.all(heads)).sort()).toEqual([429, 429, 502, 502, 502, 503]);
  expect(silent.asked("/acme")).toBe(3);
});

test("git is handed neither the process's SSH agent nor its proxies", async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), "git-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "git"), `#!/bin/sh\nenv > ${folder}/env\nexit 1\n`, { mode: 0o755 });
  const mine = { PATH: `${folder}:${process.env.PATH}`, SSH_AUTH_SOCK: "/agent", HTTPS_PROXY: "http://proxy:1" };
  const before = Object.fromEntries(Object.keys(mine).map((name) => [name, process.env[name]]));
  Object.assign(process.env, mine);
  try {
    const settings = { allowProtocol: ["https"], checkHost: async () => [] };
    const stack = { orgId: "o", repositoryUrl: "https://git.test/acme/infra.git", branch: "main" };
    await expect(resolveHead(settings, stack)).rejects.toMatchObject({ code: "repository_unreachable" });
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  const seen = await readFile(join(folder, "env"), "utf8");
  expect(seen).toContain("GIT_TERMINAL_PROMPT=0");
  expect(seen).toContain("IdentityAgent=none");
  expect(seen).not.toMatch(/SSH_AUTH_SOCK|PROXY/);
});
