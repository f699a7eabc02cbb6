/**
 * Nobody is offered a change that the service would refuse: each write of the console stands beside a question for the
 * very permission that its route needs, and whoever may only read meets no button, no dialog and no command.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { orgPages } from "../../bench/console/pages.ts";
import { ACCESS } from "../support/accessTable.ts";
import { configureOrg } from "../support/consoleSetUp.ts";
import { consoleTest } from "../support/consoleTest.ts";
import { expectCalm } from "../support/webBrowser.ts";

const SOURCES = fileURLToPath(new URL("../../console/src", import.meta.url));
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."))
  .map((name) => ({ name, text: readFileSync(join(SOURCES, name), "utf8") }));

type Write = { file: string; route: string };

/** `POST /api/v1/...` of each call; a part that is filled in stands for each route that fits. */
function writesOf({ name, text }: (typeof files)[number]): Write[] {
  const constants = new Map([...text.matchAll(/const (\w+) = "(\/api[^"]+)"/g)].map(([, key, path]) => [key, path]));
  return [...text.matchAll(/api\s*\.(POST|PUT|PATCH|DELETE)\(\s*["`]([^"`]+)["`]/g)].flatMap(
    ([, method, path = ""]) => {
      const whole = path.replace(/\$\{(\w+)\}/g, (part, key: string) => constants.get(key) ?? part);
      const pattern = whole.replace(/[.()]/g, "\\$&").replace(/\$\{\w+\}|\{\w+\}/g, "[^/]+");
      const fits = new RegExp(`^${method} ${pattern}$`);
      return Object.keys(ACCESS)
        .filter((route) => fits.test(route))
        .map((route) => ({ file: name, route }));
    },
  );
}

const writes = files.flatMap(writesOf);
/** Calls that several pages make stand in `data/`, and are the deployment page's own. */
const roomOf = (file: string) =>
  /^pages\/\w+/.exec(file)?.[0] ?? (file.startsWith("data/") ? "pages/deployment" : file);
const textOf = (room: string) =>
  files
    .filter(({ name }) => name.startsWith(room))
    .map(({ text }) => text)
    .join("\n");

describe("each write", () => {
  test("is found in the sources, and is one that the service has", () => {
    const calls = files.flatMap(({ text }) => [...text.matchAll(/\bapi\s*\.(?:POST|PUT|PATCH|DELETE)\(/g)]).length;
    expect(calls).toBeGreaterThan(60);
    const places = new Set(writes.map(({ file, route }) => `${file} ${route}`));
    expect(places.size).toBeGreaterThanOrEqual(calls - 5);
  });

  // What needs no more than to read is for whoever sees the page.
  const needing = writes.filter(({ route }) => !/:read$/.test(ACCESS[route]?.needs ?? ":read"));
  test.for(needing)("$route of $file is offered to whom the service lets do it", ({ file, route }) => {
    const [type = "", action = ""] = ACCESS[route]?.needs?.split(":") ?? [];
    const text = textOf(roomOf(file));
    const asked = new RegExp(`[mM]ay\\w*(?:\\(org\\))?\\(\\s*(?:"${type}",\\s*)?"${action}"`);
    // Of a stack and a deployment the service says itself what may be done now.
    const told = type === "stack" && /\/stacks\/:/.test(route) && /allowed_?[aA]ctions/.test(text);
    expect(asked.test(text) || told, `${roomOf(file)} asks for (${type}, ${action})`).toBe(true);
  });
});

const reading = Object.values(ACCESS).flatMap(({ needs = "" }) =>
  /:read(?:_state|_outputs)?$/.test(needs) ? [needs] : [],
);
const READER = [...new Set(reading)].map((needs) => needs.split(":") as [string, string]);

const shown = consoleTest().extend("configured", { scope: "file" }, async ({ world }) => {
  const configured = await configureOrg(world);
  const { user } = await world.api.makeUser({ orgs: [world.org], grants: READER });
  const stack = { key: await keyOf(world.api.database.sql, world.org), slug: "network-prod" };
  const deployment = await world.shown.planned(stack, "Fix moved resource", { add: 3, destroy: 1 });
  return { ...configured, user, deployment };
});

async function keyOf(sql: import("postgres").Sql, org: string): Promise<string> {
  const [row] = await sql`select stack_key from stacks where org_id = ${org} and slug = 'network-prod'`;
  return row?.stack_key;
}

/** What changes nothing but what is on the screen. */
const READS = [
  /^(?:Copy|Clear|Show|Hide|Smaller|Larger|Older|Newer|Raw|Follow|Wrap|First error|Previous|Next|Expand|Fold)\b/,
  /^(?:Try again|All|Untick)/,
];
/** Dialogs that a page opens by its address. */
function dialogsOf(room: string): string[] {
  const named = [...textOf(room).matchAll(/dialog(?: ===|:) "([\w-]+)"/g)].map(([, name = ""]) => name);
  return [...new Set(named)];
}
const ROOMS: Record<string, string> = { "code-hosts": "codeHosts" };

shown(
  "whoever may only read meets no button, no command and no dialog that changes anything",
  {
    timeout: 300_000,
  },
  async ({ open, world, configured }) => {
    const { org } = world;
    const { user, deployment, group, context, host, chat, role, account, source, viewer } = configured;
    const selected = [
      `/runners?group=${group}`,
      `/contexts?context=${context}`,
      `/code-hosts?integration=${host}`,
      `/notifications?integration=${chat}`,
      `/people?id=${viewer}`,
      `/people?tab=roles&id=${role}`,
      `/people?tab=accounts&id=${account}`,
      `/people?tab=sign-in&id=${source}`,
    ];
    const window = await open(`/orgs/${org}`, { signedIn: user });
    const { page } = window;
    const main = page.getByRole("main");
    const isStill = () =>
      page.locator("main [aria-busy=true], main [aria-label^=Loading]").first().waitFor({ state: "detached" });
    const found: string[] = [];
    for (const path of [...orgPages({ org, stack: "network-prod", deployment }), ...selected]) {
      await page.goto(`/orgs/${org}${path}`);
      await main.locator("h1").first().waitFor();
      await isStill();
      const names = await main
        .getByRole("button")
        .evaluateAll((all) =>
          all.map((button) => button.getAttribute("aria-label") ?? button.textContent?.trim() ?? ""),
        );
      found.push(...names.filter((name) => !READS.some((read) => read.test(name))).map((name) => `${path}: ${name}`));
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog");
      await palette.getByRole("combobox").waitFor();
      const commands = await palette
        .locator("[cmdk-group]", { hasText: "This page" })
        .locator("[cmdk-item]")
        .allTextContents();
      found.push(...commands.map((name) => `${path}: command ${name}`));
      await page.keyboard.press("Escape");
      await palette.waitFor({ state: "detached" });
    }
    const withDialogs = ["/stacks", "/stacks/network-prod", "/settings", ...selected].map((path) => {
      const noun = path.split(/[/?]/)[1] ?? "";
      return { path, room: `pages/${path.startsWith("/stacks/") ? "stack" : (ROOMS[noun] ?? noun)}/` };
    });
    for (const { path, room } of withDialogs) {
      const dialogs = dialogsOf(room);
      expect(dialogs.length, room).toBeGreaterThan(0);
      for (const dialog of dialogs) {
        await page.goto(`/orgs/${org}${path}${path.includes("?") ? "&" : "?"}dialog=${dialog}`);
        await main.locator("h1").first().waitFor();
        await isStill();
        if ((await page.locator("dialog[open]").count()) > 0) found.push(`${path}: dialog ${dialog}`);
      }
    }
    expect(found).toEqual([]);
    expectCalm(window, /status of 40[34]/);
  },
);

test("the pages that are looked at are all that there are", () => {
  const routes = files.find(({ name }) => name === "routes.tsx")?.text ?? "";
  const paths = [...routes.matchAll(/path: "([a-z][^"]*)"/g)].map(([, path = ""]) => path);
  const known = orgPages({ org: "o", stack: "$stack", deployment: "$id" }).map((path) => path.split("?")[0]?.slice(1));
  const tabs = known.map((path) => path?.replace("stacks/$stack/", ""));
  for (const path of paths) expect([...known, ...tabs], path).toContain(path);
});
