/** Git's own transport over HTTP, for reading: what a clone asks of a code host, answered by git itself. */
import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Context, Hono } from "hono";

const SERVICE = "git-upload-pack";

/** Serve the bare repository at `path`; `mayRead` looks at the request's credentials. */
export function serveGit(app: Hono, path: string, bare: string, mayRead: (c: Context) => boolean): void {
  const answer = (c: Context, kind: string, body: ReadableStream) =>
    c.body(body, 200, { "content-type": `application/x-${SERVICE}-${kind}`, "cache-control": "no-cache" });

  app.use(`${path}/*`, async (c, next) => {
    if (mayRead(c)) return next();
    return c.text("Who are you?", 401, { "www-authenticate": 'Basic realm="code host"' });
  });
  app.get(`${path}/info/refs`, (c) => {
    if (c.req.query("service") !== SERVICE) return c.text("This host is only read with git.", 403);
    const { stdout } = uploadPack(c, bare, "--advertise-refs");
    return answer(c, "advertisement", Readable.toWeb(Readable.from(announced(stdout))) as ReadableStream);
  });
  app.post(`${path}/${SERVICE}`, (c) => {
    const { stdin, stdout } = uploadPack(c, bare);
    const body = Readable.fromWeb(c.req.raw.body as never);
    const plain = c.req.header("content-encoding") === "gzip" ? body.pipe(createGunzip()) : body;
    plain.pipe(stdin);
    return answer(c, "result", Readable.toWeb(stdout) as ReadableStream);
  });
}

function uploadPack(c: Context, bare: string, ...options: string[]) {
  const env = { PATH: process.env.PATH, GIT_PROTOCOL: c.req.header("git-protocol") ?? "" };
  // A run's commit is asked for by its id, as code hosts allow.
  const allow = ["-c", "uploadpack.allowAnySHA1InWant=true"];
  const args = [...allow, "upload-pack", "--stateless-rpc", ...options, bare];
  return spawn("git", args, { env, stdio: ["pipe", "pipe", "inherit"] });
}

/** The service's name in git's line format comes before what git says. */
async function* announced(refs: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const line = `# service=${SERVICE}\n`;
  yield Buffer.from(`${(line.length + 4).toString(16).padStart(4, "0")}${line}0000`);
  yield* refs;
}
