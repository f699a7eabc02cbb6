/** The part of a code host's API that the service calls, over one repository. */
import { Hono } from "hono";
import type { HostRepository } from "./repository.ts";

export type PullRequest = { number: number; title: string; base: string; head: string; updatedAt: string };
export type Shown = { sha: string; context: string; state: string; description: string };
export type Comment = { id: number; number: number; body: string };

/** What the host remembers beside its repository. */
export type HostState = { open: Map<number, PullRequest>; statuses: Shown[]; comments: Comment[] };

/** Routes below `/repos/{owner}/{name}`. */
export function hostApi(repository: HostRepository, { open, statuses, comments }: HostState): Hono {
  const api = new Hono();

  api.get("/", (c) => c.json({ id: 1 }));
  api.get("/branches/:branch", async (c) => {
    const name = c.req.param("branch");
    const sha = await repository.head(name);
    if (sha === null) return c.json({ message: "Branch not found" }, 404);
    return c.json({ name, commit: await repository.commit(sha) });
  });
  api.get("/commits/:id", async (c) => {
    const sha = await repository.peeled(c.req.param("id"));
    return sha === null ? c.json({ message: "No commit found" }, 422) : c.json(await repository.commit(sha));
  });
  api.get("/compare/:basehead", async (c) => {
    const [before = "", after = ""] = c.req.param("basehead").split("...");
    const comparison = await repository.compare(before, after);
    return comparison === null ? c.notFound() : c.json(comparison);
  });
  api.get("/pulls", async (c) => {
    const listed = [...open.values()].filter(({ base }) => base === c.req.query("base"));
    return c.json(await Promise.all(listed.map(described)));
  });
  api.get("/pulls/:number/files", async (c) => {
    const request = open.get(Number(c.req.param("number")));
    return request ? c.json(await repository.changedFiles(request.base, request.head)) : c.notFound();
  });
  api.post("/statuses/:sha", async (c) => {
    const shown = { sha: c.req.param("sha"), ...(await c.req.json()) };
    statuses.push(shown);
    return c.json(shown, 201);
  });
  api.get("/issues/:number/comments", (c) =>
    c.json(comments.filter(({ number }) => number === Number(c.req.param("number")))),
  );
  api.post("/issues/:number/comments", async (c) => {
    const { body } = await c.req.json();
    const comment = { id: comments.length + 1, number: Number(c.req.param("number")), body };
    comments.push(comment);
    return c.json(comment, 201);
  });
  api.patch("/issues/comments/:id", async (c) => {
    const comment = comments.find(({ id }) => id === Number(c.req.param("id")));
    if (comment === undefined) return c.notFound();
    comment.body = (await c.req.json()).body;
    return c.json(comment);
  });

  async function described({ number, title, base, head, updatedAt }: PullRequest): Promise<object> {
    const repo = { id: 1 };
    return {
      number,
      title,
      html_url: `https://code.example/pull/${number}`,
      body: "",
      user: { login: "ann" },
      base: { ref: base, repo },
      head: { ref: head, sha: await repository.head(head), repo },
      updated_at: updatedAt,
    };
  }
  return api;
}
