/** The mail server of an integration: the organization's own, or the installation's. */
import * as v from "valibot";
import { keptSecret, present } from "../../sealedIntegration/sealedAuth.ts";
import { MailAddress } from "./mailAddress.ts";

/** `tls`: from the first byte. `starttls`: before anything is said, or nothing is. `none`: never a password. */
export const SECURITIES = ["tls", "starttls", "none"] as const;

const Host = v.pipe(
  v.string(),
  v.maxLength(253),
  v.regex(/^[A-Za-z0-9](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?$/, "expected the name or address of a mail server"),
);
const Port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));
/** What the protocol can carry: no line ends and no other control characters. */
const Credential = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(500),
  v.regex(/^\P{Cc}+$/u, "must not hold control characters"),
);

const Smtp = v.pipe(
  v.strictObject({
    host: Host,
    port: Port,
    security: v.optional(v.picklist(SECURITIES), "starttls"),
    username: v.optional(Credential),
    password: v.optional(v.nullable(Credential)),
    from: MailAddress,
  }),
  v.forward(
    v.check(
      ({ security, username, password }) => security !== "none" || (username === undefined && password == null),
      "must not be sent without TLS",
    ),
    ["username"],
  ),
);

/** On the wire; null: the installation's server. */
export const MailAuthBody = v.strictObject({ smtp: v.nullable(Smtp) });
export type MailAuthBody = v.InferOutput<typeof MailAuthBody>;

export type MailServer = {
  host: string;
  port: number;
  security: (typeof SECURITIES)[number];
  username?: string;
  password?: string;
  from: string;
};
/** As stored, sealed. */
export type MailAuth = { smtp: MailServer | null };

/** A password that is not sent stays with its server and its name there; it never follows to another. */
export function mergeMailAuth(stored: MailAuth | null, { smtp }: MailAuthBody): MailAuth {
  if (smtp === null) return { smtp: null };
  const { password: sent, username, ...server } = smtp;
  const before = stored?.smtp ?? null;
  const kept = before !== null && sameAccount(before, smtp) ? before.password : undefined;
  const password = username === undefined ? undefined : keptSecret(sent, kept);
  return { smtp: { ...server, ...present({ username, password }) } };
}

function sameAccount(one: MailServer, other: Pick<MailServer, "host" | "port"> & { username?: string | undefined }) {
  return one.host === other.host && one.port === other.port && one.username === other.username;
}

export type MailPart = "host" | "security" | "username" | "password" | "from";

export const MAIL_PARTS: readonly [MailPart, (auth: MailAuth) => unknown][] = [
  ["host", ({ smtp }) => smtp && [smtp.host, smtp.port]],
  ["security", ({ smtp }) => smtp?.security],
  ["username", ({ smtp }) => smtp?.username],
  ["password", ({ smtp }) => smtp?.password],
  ["from", ({ smtp }) => smtp?.from],
];
