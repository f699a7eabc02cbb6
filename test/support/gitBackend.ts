/** git's own server program behind an HTTP request. */
import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Serves the bare repositories below `folder`. */
export function serveGit(folder: string, url: URL, request: IncomingMessage, response: ServerResponse): void {
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(child.stdin);
  const out: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.on("close", () => {
    const all = Buffer.concat(out);
    const end = all.indexOf("\r\n\r\n");
    const headers = all
      .subarray(0, end)
      .toString()
      .split("\r\n")
      .map((line) => line.split(": ", 2) as [string, string]);
    const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== "Status")));
    response.end(all.subarray(end + 4));
  });
}
