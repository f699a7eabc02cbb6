/**
 * The page that asks before an identity is linked, or somebody else takes the place of who is signed in. It holds
 * nothing of anybody: its script reads what it shows with the session of the browser, and sends the person's word with
 * that session's proof.
 */
import { pagePolicy } from "../../http/pagePolicy.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";

const PATH = "/api/v1/auth/sso/confirm";

/** The id stands behind the `#`, which is sent to no server and in no Referer. */
export function confirmationPage({ baseUrl }: BrowserOrigin, id: string): string {
  return `${baseUrl}${PATH}#${id}`;
}

const STYLE = `body{font:16px/1.5 system-ui;max-width:34rem;margin:4rem auto;padding:0 1rem}
dt{font-weight:600}dd{margin:0 0 .75rem;overflow-wrap:anywhere}button{font:inherit;padding:.4rem 1rem;margin-right:.5rem}`;

const SCRIPT = `
const show = (id, text) => { document.getElementById(id).textContent = text; };
const path = "../../me/sign-in-confirmations/" + encodeURIComponent(location.hash.slice(1));
const answer = async (method, headers) => {
  const got = await fetch(path, { method, headers });
  if (got.status === 204) return null;
  const body = await got.json();
  if (!got.ok) throw new Error(body.detail || "That did not work.");
  return body;
};
const proof = async () => ({ "x-csrf-token": (await (await fetch("../me")).json()).csrf_token });
const end = (text) => { document.getElementById("question").hidden = true; show("state", text); };
const fail = (error) => end(error.message);
addEventListener("DOMContentLoaded", async () => {
  try {
    const asked = await answer("GET", {});
    const link = asked.action === "link";
    show("title", link ? "Link this identity to you?" : "Sign in as somebody else?");
    show("consequence", link
      ? "Whoever controls it can then sign in as you, until you unlink it."
      : "You are then signed in as this identity here, and signed out as who you are now.");
    show("login", asked.display_name ? asked.login + " (" + asked.display_name + ")" : asked.login);
    show("issuer", asked.issuer);
    show("current", asked.signed_in_as.login);
    show("yes", link ? "Link it" : "Sign in as " + asked.login);
    document.getElementById("yes").onclick = async () => {
      try { location.replace((await answer("POST", await proof())).location); } catch (error) { fail(error); }
    };
    document.getElementById("no").onclick = async () => {
      try { await answer("DELETE", await proof()); end("Nothing was changed."); } catch (error) { fail(error); }
    };
    document.getElementById("question").hidden = false;
    show("state", "");
  } catch (error) { fail(error); }
});
`;

export const CONFIRMATION_POLICY = pagePolicy({ script: SCRIPT, style: STYLE });

export const CONFIRMATION_HTML = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Confirm</title>
<style>${STYLE}</style><script>${SCRIPT}</script></head>
<body><main>
<p id="state" role="status">This page needs JavaScript.</p>
<div id="question" hidden>
<h1 id="title"></h1>
<p id="consequence"></p>
<dl><dt>Login there</dt><dd id="login"></dd><dt>Issuer</dt><dd id="issuer"></dd><dt>You are signed in as</dt><dd id="current"></dd></dl>
<button id="yes" type="button"></button><button id="no" type="button">No, change nothing</button>
</div>
</main></body></html>
`;
