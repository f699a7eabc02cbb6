/** The installation's mail server as its operator writes it: one address. */
import * as v from "valibot";
import type { MailServer } from "./mailAuth.ts";

const EXPECTED =
  "expected smtps://USER:PASSWORD@HOST:465, smtp://USER:PASSWORD@HOST:587 (with STARTTLS), or smtp://HOST:25?starttls=off";

export const smtpUrl = v.pipe(
  v.string(),
  v.transform(serverOf),
  v.check((server) => server !== null, EXPECTED),
  v.transform((server) => server as Omit<MailServer, "from">),
);

function serverOf(text: string): Omit<MailServer, "from"> | null {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:\/\/[^/?#]+\/?(?:\?starttls=off)?$/.test(text) || url.hostname === "") return null;
  const tls = url.protocol === "smtps:";
  const plain = url.search !== "";
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (username === null || password === null || (plain && (tls || username !== ""))) return null;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (tls ? 465 : 587) : Number(url.port),
    security: plain ? "none" : tls ? "tls" : "starttls",
    ...(username !== "" && { username }),
    ...(password !== "" && { password }),
  };
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
