/** Stacks over HTTP: what those tests begin with. */
import type { Answer, Grant } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

let number = 0;

export const minimal = (more: Record<string, unknown> = {}) => ({
  name: `stack ${++number}`,
  repository_url: "https://git.example/team/repo.git",
  branch: "main",
  ...more,
});

export const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);

export const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg();
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const path = (id = "", of = org) => `/api/v1/orgs/${of}/stacks${id === "" ? "" : `/${id}`}`;
  const post = (body: unknown, token = admin) => api.call("POST", path(), { token, body });
  const patch = (id: string, body: unknown, token = admin) => api.call("PATCH", path(id), { token, body });
  const made = async (more: Record<string, unknown> = {}) => (await post(minimal(more))).body.id as string;
  const holding = async (grants: Grant[]) => (await api.makeAccount(org, grants)).token;

  return { path, post, patch, made, holding, org, admin };
});
