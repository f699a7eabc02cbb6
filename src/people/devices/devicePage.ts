/**
 * The page on which a person lets a program have a token. It holds nothing of anybody: its script reads what it shows
 * with the session of the browser, and sends the person's word with that session's proof.
 */
import { pagePolicy } from "../../http/pagePolicy.ts";

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:34rem;margin:4rem auto;padding:0 1rem}
dt{font-weight:600}dd{margin:0 0 .75rem;overflow-wrap:anywhere}button,input,select{font:inherit;padding:.4rem .8rem;margin-right:.5rem}
.code{font:600 1.6rem ui-monospace,monospace;letter-spacing:.1em}form{margin:1rem 0}li{margin:.4rem 0}`;

const SCRIPT = `
const at = (id) => document.getElementById(id);
const show = (id, text) => { at(id).textContent = text; };
const only = (id) => { for (const part of document.querySelectorAll("main > section")) part.hidden = part.id !== id; };
const KEPT = "device-code";
let proof = "";
const call = async (method, path, body) => {
  const headers = { ...(body && { "content-type": "application/json" }), ...(method !== "GET" && { "x-csrf-token": proof }) };
  const got = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const text = await got.text();
  const answer = text === "" ? null : JSON.parse(text);
  if (!got.ok) throw Object.assign(new Error((answer && answer.detail) || "That did not work."), { status: got.status });
  return answer;
};
const end = (text) => { only(""); sessionStorage.removeItem(KEPT); show("state", text); };
const gone = (error) => error.status === 404 ? "This code was answered already, is too old, or never was. Begin again." : error.message;
const offer = (list, to) => {
  const here = "?return_to=" + encodeURIComponent("/api/v1/auth/device");
  at(to).replaceChildren(...list.map(({ name, path }) => {
    const link = document.createElement("a");
    link.href = path + here;
    link.textContent = "Sign in with " + name;
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
};
const lastHandle = () => {
  try { return localStorage.getItem("console.sign-in") || ""; } catch { return ""; }
};
const signIn = async () => {
  only("sign-in");
  show("state", "Sign in first.");
  const platform = await call("GET", "sso/providers");
  offer(platform.map((one) => ({ name: one.display_name, path: "sso/" + one.key + "/start" })), "platform");
  const ofOrganization = async () => {
    const handle = encodeURIComponent(at("handle").value.trim().toLowerCase());
    const own = handle && (await call("GET", "sso/orgs/" + handle + "/providers").catch(() => []));
    if (own) offer(own.map((one) => ({ name: one.display_name, path: "../../.." + one.start_path })), "own");
    return own.length > 0;
  };
  at("org-sign-in").onsubmit = async (event) => {
    event.preventDefault();
    show("state", (await ofOrganization()) ? "Sign in first." : "Nobody signs in there by that name.");
  };
  // As the console has it: whence one signed in last, and the one organization of an installation on one machine.
  const here = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname) ? "local" : "";
  at("handle").value = lastHandle() || here;
  await ofOrganization();
};
const organizations = async () => {
  const all = [];
  for (let cursor = ""; all.length < 2000; ) {
    const page = await call("GET", "../orgs?limit=200&sort=name&order=asc" + cursor);
    all.push(...page.items);
    if (page.next_cursor === null) break;
    cursor = "&cursor=" + encodeURIComponent(page.next_cursor);
  }
  return all;
};
const ask = async (code) => {
  const path = "../me/device-logins/" + encodeURIComponent(code);
  const [asked, all] = await Promise.all([call("GET", path), organizations()]);
  show("shown", asked.user_code);
  show("client", asked.client_name);
  show("host", asked.host_name);
  show("address", asked.address);
  show("since", new Date(asked.created_at).toLocaleString());
  at("org").replaceChildren(...all.map(({ id, name }) => new Option(name, id)));
  at("answer").onsubmit = async (event) => {
    event.preventDefault();
    at("yes").disabled = true;
    try { await call("POST", path, { org_id: at("org").value }); end("Done. Go back to the program; you may close this page."); }
    catch (error) { end(gone(error)); }
  };
  at("no").onclick = async () => {
    try { await call("DELETE", path); end("The program was told no, and has nothing."); } catch (error) { end(gone(error)); }
  };
  only("question");
  show("state", "");
};
const begin = async (code) => {
  if (code === "") { only("typing"); show("state", ""); at("code").focus(); return; }
  try { await ask(code); } catch (error) { end(gone(error)); }
};
addEventListener("DOMContentLoaded", async () => {
  try {
    const code = decodeURIComponent(location.hash.slice(1)) || sessionStorage.getItem(KEPT) || "";
    if (code) sessionStorage.setItem(KEPT, code);
    const me = await call("GET", "me").catch((error) => { if (error.status === 401) return null; throw error; });
    if (me === null) return await signIn();
    proof = me.csrf_token || "";
    show("who", me.name);
    at("typing-form").onsubmit = (event) => { event.preventDefault(); begin(at("code").value); };
    await begin(code);
  } catch (error) { end(error.message); }
});
`;

export const DEVICE_POLICY = pagePolicy({ script: SCRIPT, style: STYLE });

export const DEVICE_HTML = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A program asks for access</title>
<style>${STYLE}</style><script>${SCRIPT}</script></head>
<body><main>
<p id="state" role="status">This page needs JavaScript.</p>
<section id="sign-in" hidden>
<ul id="platform"></ul>
<form id="org-sign-in"><label for="handle">Your organization's sign-in name</label><br><input id="handle" autocomplete="organization">
<button type="submit">Show</button></form>
<ul id="own"></ul>
</section>
<section id="typing" hidden>
<h1>A program asks for access</h1>
<form id="typing-form"><label for="code">The code that it shows</label><br><input id="code" autocomplete="off" spellcheck="false" maxlength="12">
<button type="submit">Go on</button></form>
</section>
<section id="question" hidden>
<h1>Let this program act as you?</h1>
<p>Only if you began this yourself, just now, and the program shows the same code. Somebody who sent you here would get your access.</p>
<p class="code" id="shown"></p>
<dl><dt>Program</dt><dd id="client"></dd><dt>On the machine it calls</dt><dd id="host"></dd><dt>Asking from</dt><dd id="address"></dd>
<dt>Since</dt><dd id="since"></dd><dt>You are signed in as</dt><dd id="who"></dd></dl>
<form id="answer"><label for="org">It may act in</label> <select id="org" required></select>
<p>For 90 days, or until you delete its token.</p>
<button id="yes" type="submit">Allow</button><button id="no" type="button">No</button></form>
</section>
</main></body></html>
`;
