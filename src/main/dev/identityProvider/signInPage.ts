/** The one page of the local identity provider. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { tokenHash } from "../../../people/credentials/format.ts";
import { isPersonName, PREPARED_NAMES } from "./people.ts";

const MAX_FORM_BYTES = 4_096;

/** Shows the form, also again when it was filled in wrongly. @returns who signed in, or null when a page was sent */
export async function askWhoSignsIn(
  request: IncomingMessage,
  response: ServerResponse,
  password: string,
): Promise<string | null> {
  if (request.method !== "POST") {
    sendPage(response, 200, "");
    return null;
  }
  const form = await readForm(request);
  const name = form.get("name") ?? "";
  const right = timingSafeEqual(tokenHash(form.get("password") ?? ""), tokenHash(password));
  if (right && isPersonName(name)) return name;
  sendPage(
    response,
    403,
    right ? "A name is up to 40 of a-z, 0-9, dot, dash and underscore." : "The password is another one.",
  );
  return null;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (Number(request.headers["content-length"] ?? MAX_FORM_BYTES + 1) > MAX_FORM_BYTES) return new URLSearchParams();
  return new URLSearchParams((await buffer(request)).toString("utf8"));
}

/** Nothing in the page comes from the request. */
function sendPage(response: ServerResponse, status: number, message: string): void {
  const people = PREPARED_NAMES.map((name) => `<option value="${name}">`).join("");
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
  response.end(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Local sign-in</title>
<style>body{font:16px system-ui;max-width:24rem;margin:4rem auto;padding:0 1rem}label{display:block;margin:1rem 0}
input{font:inherit;display:block;width:100%;box-sizing:border-box;padding:.4rem}button{font:inherit;padding:.4rem 1rem}</style>
<h1>Local sign-in</h1>
<p>This identity provider is part of <code>npm start</code>. The password is in the terminal.</p>
${message === "" ? "" : `<p role="alert"><strong>${message}</strong></p>`}
<form method="post"><label>Name <input name="name" list="people" value="${PREPARED_NAMES[0]}" autocomplete="username" required autofocus></label>
<datalist id="people">${people}</datalist>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label><button>Sign in</button></form></html>`);
}
