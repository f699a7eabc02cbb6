/**
 * Every people's route of the application, called by everybody, with every kind of id: nobody gets more, or learns
 * more, than the table says (docs/rules/permissions.md). A route that the table does not know fails the test.
 */
import { expect } from "vitest";
import { ACCESS, type Entry } from "../support/accessTable.ts";
import { accounts, type Ids, machineCallers, makeWorld, members, otherToken } from "../support/accessWorld.ts";
import { type Answer, type Caller, routesOfPeople } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const PARAMETER = /:([a-z_]+)/g;
const IDS = ["own", "other", "missing"] as const;
type Kind = (typeof IDS)[number];

const ends = (line: string) => line.startsWith("DELETE") || line.endsWith("/disable");

/** Whether some other resource than the organization is named, that may be somebody else's. */
const namesResource = (path: string) => [...path.matchAll(PARAMETER)].some(([, key]) => key !== "org_id");

const isEmptyPage = ({ status, body }: Answer) => status === 200 && body?.items?.length === 0;

function denied(entry: Entry, answer: Answer): boolean {
  if (entry.denial === "empty page") return isEmptyPage(answer);
  return answer.status === Number(entry.denial === "404" ? 404 : 403);
}

/** Let in, and told what it asked for or what is wrong with the request. */
function served({ own = [] }: Entry, { status }: Answer): boolean {
  return own.includes(status) || (status < 500 && ![401, 403, 404].includes(status));
}

/** Service accounts are no persons, and a person's token may not do all that a session may. */
const LESS_THAN_PERSON = ["stranger", "account", "other token"];

function expected(entry: Entry, path: string, caller: string, kind: Kind, answer: Answer): boolean {
  if (entry.denial === "no credential asked") return answer.status < 500 || answer.status === 502;
  if (["anonymous", "group", "runner"].includes(caller)) return answer.status === 401;
  if (entry.denial === "any person") {
    return LESS_THAN_PERSON.includes(caller) ? answer.status < 500 && answer.status !== 401 : served(entry, answer);
  }
  // Bound to the other organization, it is refused before any route is asked, lists included.
  if (caller === "other token" && path.includes(":org_id"))
    return answer.status === (entry.denial === "404" ? 404 : 403);
  if (caller === "account" && entry.sessionOnly) return answer.status === 403;
  if (entry.denial === "super-admins" || !["permitted", "account"].includes(caller)) return denied(entry, answer);
  if (kind === "own") return served(entry, answer);
  return namesResource(path) ? answer.status === (entry.missing ?? 404) : denied(entry, answer);
}

const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const world = await makeWorld(api);

  /**
   * What the application serves to people; what ends something comes last, or it would take the ground from under the
   * rest.
   */
  function routes(): string[] {
    const lines = [...new Set(routesOfPeople(api).map(({ method, path }) => `${method} ${path}`))];
    const rank = (line: string) => (ends(line) ? 1 / line.split("/").length : 0);
    return lines.sort((a, b) => rank(a) - rank(b) || (a < b ? 1 : -1));
  }

  /**
   * A route below the organization keeps the caller's own one and exchanges the resource; otherwise the organization is
   * exchanged.
   */
  function filled(path: string, kind: Kind): string {
    const inner = path.replace(PARAMETER, (whole, key: string) =>
      key === "org_id" ? whole : (world[kind][key] ?? whole),
    );
    const org = inner === path ? world[kind] : world.own;
    return inner.replace(":org_id", (org as Ids).org_id!).replaceAll(" ", "%20");
  }

  /**
   * Whether an answer speaks of what only the other organization has, unasked. Who is at home there hears of it on
   * routes about themselves.
   */
  function leaks(entry: Entry, caller: string, kind: Kind, { text }: Answer): boolean {
    if (entry.denial === "any person" && ["outsider", "other token"].includes(caller)) return false;
    const ids = Object.values(world.other).filter((id) => id.length > 12);
    return kind !== "other" && ids.some((id) => text.includes(id));
  }

  return { routes, filled, leaks, world };
});

test("nobody gets or learns more than the table says", { timeout: 300_000 }, async ({ api, world }) => {
  const unknown = world.routes().filter((route) => !Object.hasOwn(ACCESS, route));
  expect(unknown, "routes without an entry in test/support/accessTable.ts").toEqual([]);
  const pairs = [
    ...new Set(Object.values(ACCESS).flatMap(({ needs, also = [] }) => [...(needs ? [needs] : []), ...also])),
  ];
  const member = members(api, world.world.own.org_id!);
  const account = accounts(api, world.world.own.org_id!);
  const machines = await machineCallers(api, world.world.own);
  const stranger = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
  const outsider = await api.makeUser({ orgs: [world.world.other.org_id!], grants: [["*", "*"]] });
  const foreign = await otherToken(api, world.world);
  const unexpected: string[] = [];
  let calls = 0;
  const ask = async (route: string, caller: string, kind: Kind, by: Caller) => {
    const [method, path] = route.split(" ") as [string, string];
    const entry = ACCESS[route]!;
    calls += 1;
    const body = method === "GET" ? {} : { body: entry.body?.(world.world, calls) ?? { no_such_field: true } };
    const answer = await api.call(method, world.filled(path, kind), { ...by, ...body });
    if (expected(entry, path, caller, kind, answer) && !world.leaks(entry, caller, kind, answer)) return;
    unexpected.push(`${route} as ${caller} with ${kind} id: ${answer.status} ${answer.text.slice(0, 200)}`);
  };
  // First all who must not get in; had one of them got in, what follows would fail too.
  for (const route of world.routes()) {
    const { needs, also = [], or = [] } = ACCESS[route]!;
    const without = await member(pairs.filter((pair) => pair !== needs && !or.includes(pair)));
    for (const kind of IDS) {
      await ask(route, "anonymous", kind, {});
      await ask(route, "group", kind, machines.group);
      await ask(route, "runner", kind, machines.runner);
      await ask(route, "stranger", kind, { token: stranger.token });
      // At home in the other organization, whose own resources are no business of this test.
      if (kind !== "other" || namesResource(route)) await ask(route, "outsider", kind, outsider);
      if (kind !== "other" || namesResource(route)) await ask(route, "other token", kind, foreign);
      if (needs !== undefined) await ask(route, "powerless", kind, without);
    }
    const permitted = await member(needs === undefined ? [] : [needs, ...also]);
    const automated = await account(needs === undefined ? [] : [needs, ...also]);
    for (const kind of ["other", "missing"] as const) {
      await ask(route, "permitted", kind, permitted);
      await ask(route, "account", kind, automated);
    }
  }
  for (const route of world.routes()) {
    const { needs, also = [] } = ACCESS[route]!;
    const pairs = needs === undefined ? [] : [needs, ...also];
    // Whatever ends with the call can end once only.
    if (!ends(route)) await ask(route, "account", "own", await account(pairs));
    await ask(route, "permitted", "own", await member(pairs));
  }
  console.log(
    `access matrix: ${world.routes().length} routes, ${calls} calls, ${unexpected.length} unexpected answers`,
  );
  expect(unexpected).toEqual([]);
});
