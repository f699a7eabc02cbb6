/**
 * What holds for every code host (docs/source-control.md#how-hosts-differ): each case against a stand-in of each, which
 * answers as the host documents, with a real repository behind it. The table of cases and hosts is printed at the end.
 */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import type { CodeHost } from "../support/hosts/codeHost.ts";
import { GiteaStandIn } from "../support/hosts/giteaStandIn.ts";
import { GithubStandIn } from "../support/hosts/githubStandIn.ts";
import { GitlabStandIn } from "../support/hosts/gitlabStandIn.ts";
import { type Case, hostWorld } from "../support/hosts/hostWorld.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { type TestHosts, testHosts } from "../support/scm.ts";
import { outwardCases } from "./conformance/outward.ts";
import { pushCases } from "./conformance/pushes.ts";
import { requestCases } from "./conformance/requests.ts";
import { webhookCases } from "./conformance/webhooks.ts";

const CASES: Case[] = [...webhookCases, ...pushCases, ...requestCases, ...outwardCases];
const HOSTS: Record<string, () => Promise<CodeHost>> = {
  GitHub: () => GithubStandIn.start(),
  Gitea: () => GiteaStandIn.start(),
  GitLab: () => GitlabStandIn.start(),
  "GitLab, signing": async () => {
    const host = await GitlabStandIn.start();
    host.sign();
    return host;
  },
};

const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
const outcomes = new Map<string, string>();
let api: PeopleApi;
let hosts: TestHosts;

beforeAll(async () => {
  api = await startPeopleApi({ keyring, git: "host", env: { SVC_EGRESS_ALLOW: "127.0.0.1" } });
  hosts = testHosts(5_000, keyring);
});
afterAll(async () => {
  await Promise.all([hosts.egress.close(), api.close()]);
  process.stdout.write(table());
});

describe.each(Object.entries(HOSTS))("%s", (name, start) => {
  let host: CodeHost;
  let first: string;
  beforeAll(async () => {
    host = await start();
    first = await host.state.commit({ "network/main.tf": "1", "app/main.tf": "1", "README.md": "1" });
  });
  afterAll(() => host.stop());
  afterEach(() => {
    const { state } = host;
    host.script = () => undefined;
    host.webhooks = [];
    state.pageSize = 100;
    for (const kept of [state.pulls, state.people, state.comments]) kept.clear();
    state.statuses.length = 0;
  });

  const cases = name === "GitLab, signing" ? webhookCases : CASES;
  it.each(cases)("$name", async ({ name: what, run, not }) => {
    const why = not?.[host.kind];
    if (why !== undefined) {
      outcomes.set(`${name} ${what}`, `no: ${why}`);
      return;
    }
    outcomes.set(`${name} ${what}`, "FAILS");
    await run(await hostWorld(api, hosts, host, first));
    outcomes.set(`${name} ${what}`, "holds");
  });
});

function table(): string {
  const names = Object.keys(HOSTS);
  const row = (cells: string[]) => `${cells.map((cell, i) => cell.padEnd(i < names.length ? 16 : 0)).join("")}\n`;
  const lines = CASES.map(({ name }) => row([...names.map((host) => outcomes.get(`${host} ${name}`) ?? "-"), name]));
  return `\n${row([...names, "case"])}${lines.join("")}`;
}
