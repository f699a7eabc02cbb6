/** Access rules as stored, and over HTTP (docs/rules/sign-in.md#access-rules). */
import { describe, expect } from "vitest";
import { CODEHOST, fields, GONE, OIDC, test } from "../support/bindingsTest.ts";

describe("access rules over HTTP", () => {
  test("all four types, each at a source of its provider", async ({ api, world }) => {
    const of = await api.makeOrg();
    const token = await world.holding([["*", "*"]], of);
    const sources = {
      codehost: await world.source(CODEHOST, of),
      workspace: await world.source({ ...CODEHOST, provider_key: "workspace" }, of),
      oidc: await world.source(OIDC, of),
    };
    const every = [
      ["codehost", { rule_type: "codehost_org", org: "acme" }],
      ["codehost", { rule_type: "codehost_team", org: "acme", team: "ops" }],
      ["workspace", { rule_type: "workspace_hd", domains: ["acme.example", "b.example"] }],
      ["oidc", { rule_type: "oidc_group", group: "Infra: core" }],
    ] as const;
    for (const [provider, rule] of every) {
      for (const [key, id] of Object.entries(sources)) {
        const answer = await api.call("POST", world.rules(id, of), { token, body: rule });
        if (key !== provider) {
          expect([key, rule.rule_type, answer.status, fields(answer)]).toEqual([
            key,
            rule.rule_type,
            422,
            ["rule_type"],
          ]);
          continue;
        }
        expect(answer.status).toBe(201);
        expect(answer.body).toMatchObject(rule);
        expect((await api.call("POST", world.rules(id, of), { token, body: rule })).body.code).toBe("conflict");
        const { body: list } = await api.call("GET", world.rules(id, of), { token });
        expect(list.items).toContainEqual(answer.body);
        expect((await api.call("DELETE", `${world.rules(id, of)}/${answer.body.id}`, { token })).status).toBe(204);
        expect((await api.call("DELETE", `${world.rules(id, of)}/${answer.body.id}`, { token })).status).toBe(404);
      }
    }
  });

  test("one spelling of a list of domains; what is no rule is refused", async ({ api, world }) => {
    const id = await world.source({ ...CODEHOST, provider_key: "workspace" }, await api.makeOrg());
    const [row] = await api.database.sql`select org_id from identity_sources where id = ${id}`;
    const token = await world.holding([["*", "*"]], row?.org_id);
    const add = (body: object) => api.call("POST", world.rules(id, row?.org_id), { token, body });
    const { body } = await add({ rule_type: "workspace_hd", domains: ["B.example", "a.example", "b.example"] });
    expect(body.domains).toEqual(["a.example", "b.example"]);
    expect((await add({ rule_type: "workspace_hd", domains: ["b.example", "a.example"] })).status).toBe(409);
    const refused: [object, string][] = [
      [{}, "rule_type"],
      [{ rule_type: "other" }, "rule_type"],
      [{ rule_type: "workspace_hd" }, "domains"],
      [{ rule_type: "workspace_hd", domains: [] }, "domains"],
      [{ rule_type: "workspace_hd", domains: ["not a domain"] }, "domains.0"],
      [{ rule_type: "workspace_hd", domains: "acme.example" }, "domains"],
      [{ rule_type: "workspace_hd", domains: ["a.example"], org: "x" }, "org"],
      [{ rule_type: "codehost_team", org: "x" }, "team"],
      [{ rule_type: "oidc_group", group: "" }, "group"],
    ];
    for (const [rule, field] of refused) {
      const answer = await add(rule);
      expect([rule, answer.status, fields(answer)]).toEqual([rule, 422, [field]]);
    }
  });

  test("need (identity_source, manage); another organization's source is not found", async ({ api, world }) => {
    const id = await world.source({ ...OIDC, client_id: "rules" });
    const rule = { rule_type: "oidc_group", group: "g" };
    const powerless = await world.holding([
      ["identity_source", "read"],
      ["member", "*"],
    ]);
    expect((await world.postRule(id, rule, powerless)).status).toBe(403);
    expect((await api.call("GET", world.rules(id), { token: powerless })).status).toBe(403);
    expect((await api.call("DELETE", `${world.rules(id)}/${GONE}`, { token: powerless })).status).toBe(403);
    const { body } = await world.postRule(id, rule, await world.holding([["identity_source", "manage"]]));
    const other = await api.makeOrg();
    const token = await world.holding([["*", "*"]], other);
    const own = await world.source({ ...OIDC, client_id: "rules" }, other);
    for (const where of [world.rules(id, other), world.rules("nonsense", other), world.rules(GONE, other)]) {
      expect((await api.call("GET", where, { token })).status).toBe(404);
      expect((await api.call("POST", where, { token, body: rule })).status).toBe(404);
      expect((await api.call("DELETE", `${where}/${body.id}`, { token })).status).toBe(404);
    }
    expect((await api.call("DELETE", `${world.rules(own, other)}/${body.id}`, { token })).status).toBe(404);
    expect((await api.call("DELETE", `${world.rules(id)}/x`, { token: world.admin })).status).toBe(404);
  });
});
