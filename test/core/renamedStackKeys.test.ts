/** An `Idempotency-Key` counts for a stack and not for its name (docs/rules/api.md#repeated-requests). */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { HEAD } from "../support/cascades.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest({
  git: { allowProtocol: ["https"], checkHost: async () => {}, headAtHost: async () => HEAD },
}).extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg();
  const { token } = await api.makeAccount(org, [["*", "*"]]);
  const path = (id = "") => `/api/v1/orgs/${org}/stacks${id === "" ? "" : `/${id}`}`;
  const made = async (name: string) =>
    (await api.call("POST", path(), { token, body: { name, repository_url: "https://git.example/r", branch: "main" } }))
      .body.id as string;
  const renamed = async (id: string, name: string) =>
    (await api.call("PATCH", path(id), { token, body: { name } })).body.id as string;
  return { token, path, made, renamed };
});

test("after a rename the answer is found under the new id, and a new stack of the old id gets its own", async ({
  api,
  world,
}) => {
  const { made, path, renamed: rename, token } = world;
  const first = await made("network");
  const headers = { "idempotency-key": randomUUID() };
  const calls = [
    { word: "", body: { mode: "plan" } },
    { word: "/run-command", body: { script: "true" } },
  ];
  const create = (stack: string, { word, body }: (typeof calls)[number]) =>
    api.call("POST", `${path(stack)}/deployments${word}`, { token, headers, body });
  const answers = [];
  for (const call of calls) answers.push((await create(first, call)).body);
  const renamed = await rename(first, "old network");
  expect(await made("network")).toBe(first);
  for (const [i, call] of calls.entries()) {
    expect((await create(renamed, call)).body).toEqual(answers[i]);
    const fresh = await create(first, call);
    expect([fresh.status, fresh.body.id === answers[i].id]).toEqual([201, false]);
    expect((await create(first, call)).body).toEqual(fresh.body);
  }
});

test("so does that of a decision about one of its deployments", async ({ api, world }) => {
  const { made, path, renamed: rename, token } = world;
  const stack = await made("decided");
  const { id } = (await api.call("POST", `${path(stack)}/deployments`, { token, body: { mode: "plan" } })).body;
  const headers = { "idempotency-key": randomUUID() };
  const retry = (of: string) => api.call("POST", `${path(of)}/deployments/${id}/retry`, { token, headers });
  await api.database.sql`
    update deployments set status = 'cancelled', completed_at = svc_now(), created_at = svc_now() - interval '1 hour' where id = ${id}`;
  const answer = await retry(stack);
  expect(answer.status).toBe(201);
  const renamed = await rename(stack, "decided otherwise");
  expect(await retry(renamed)).toMatchObject({ status: 201, body: { id: answer.body.id } });
});
