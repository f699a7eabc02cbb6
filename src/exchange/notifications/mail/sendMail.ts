/**
 * One e-mail over SMTP, and how it went. Its envelope and headers are made of checked addresses and of texts without
 * control characters, and none of them is parsed.
 */
import type { Socket } from "node:net";
import { createTransport } from "nodemailer";
import type { Egress } from "../../../platform/egress/egress.ts";
import { LimitedSocket } from "../../../platform/egress/limitedSocket.ts";
import { unlessAborted } from "../../../platform/time/unlessAborted.ts";
import type { Mail } from "../formats/mailMessage.ts";
import { noAnswer } from "../noAnswer.ts";
import { domainOf } from "./mailAddress.ts";
import type { MailServer } from "./mailAuth.ts";

export type OutgoingMail = Mail & {
  /** The same on every attempt, so that mail programs see what came twice. */
  deliveryId: string;
  eventType: string;
  /** All that the message names. */
  to: readonly string[];
  /** Those whom this attempt sends it to. */
  recipients: readonly string[];
  /** When it happened. */
  date: Date;
};

export type Refused = { recipient: string; code: number };

/** `taken`: by all but those who were refused one by one. `replied`: the whole was refused, at what is named. */
export type MailResult =
  | { kind: "taken"; refused: Refused[] }
  | { kind: "replied"; code: number; at: "greeting" | "sign_in" | "sender" | "message" }
  | { kind: "timeout" | "unreachable" | "certificate" | "no_tls" };

type Sending = {
  egress: Pick<Egress, "connect">;
  timeoutMs: number;
  /** The operator named the server: it may be anywhere. */
  trusted: boolean;
};

/** A server that says more than this in a session is no mail server; certificates count. */
const MOST_BYTES = 256 * 1024;
/** Where mail programs hand in. Port 25, between servers, is the operator's to open. */
const PORTS = [465, 587, 2525];

/** Send it. Never throws: every way to fail is a result. */
export async function sendMail(
  { egress, timeoutMs, trusted }: Sending,
  server: MailServer,
  mail: OutgoingMail,
): Promise<MailResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  let socket: Socket | undefined;
  try {
    const { host, port } = server;
    socket = await egress.connect({ host, port, ports: PORTS, trusted, signal });
    const connection = new LimitedSocket(socket, MOST_BYTES);
    return await unlessAborted(Promise.race([handIn(server, mail, timeoutMs, connection), failed(connection)]), signal);
  } catch (error) {
    return signal.aborted ? { kind: "timeout" } : resultOf(error, server);
  } finally {
    socket?.destroy();
  }
}

/**
 * The library listens a while after it was given the connection. Once it does, what it makes of an error comes first.
 */
function failed(connection: LimitedSocket): Promise<never> {
  return new Promise((_, reject) => {
    connection.once("error", (error) => setImmediate(reject, error));
  });
}

async function handIn(
  { host, port, security, username, password, from }: MailServer,
  { subject, text, html, deliveryId, eventType, to, recipients, date }: OutgoingMail,
  timeoutMs: number,
  connection: LimitedSocket,
): Promise<MailResult> {
  const transport = createTransport({
    // The sender's domain greets: some servers take no address there, and the machine's name is nobody's business.
    ...{ name: domainOf(from), host, port },
    ...{ secure: security === "tls", requireTLS: security === "starttls", ignoreTLS: security === "none" },
    ...(username !== undefined && { auth: { user: username, pass: password ?? "" } }),
    // A stream is all that it needs.
    connection: connection as unknown as Socket,
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ disableFileAccess: true, disableUrlAccess: true, tls: { minVersion: "TLSv1.2" } },
  });
  const named = (address: string) => ({ name: "", address });
  const sent = await transport.sendMail({
    ...{ subject, text, html, date, from: named(from), to: to.map(named) },
    envelope: { from, to: [...recipients] },
    messageId: `<${deliveryId}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    headers: { "Auto-Submitted": "auto-generated", "X-Svc-Event": eventType, "X-Svc-Delivery": deliveryId },
  });
  return { kind: "taken", refused: refusedOf(sent) };
}

/** What nodemailer says of a failure. */
type SmtpFailure = {
  code?: unknown;
  originalCode?: unknown;
  responseCode?: unknown;
  command?: unknown;
  rejectedErrors?: unknown;
};

function resultOf(error: unknown, { security }: Pick<MailServer, "security">): MailResult {
  const { code, originalCode, responseCode } = error as SmtpFailure;
  const refused = refusedOf(error as SmtpFailure);
  if (refused.length > 0) return { kind: "taken", refused };
  // Whatever it says to STARTTLS, it says to somebody who has sent nothing yet.
  const isTls = code === "ETLS" || (security === "starttls" && /^(?:EPROTO|ERR_SSL_)/.test(String(originalCode)));
  if (isTls) return { kind: noAnswer(error) === "certificate" ? "certificate" : "no_tls" };
  if (typeof responseCode === "number" && responseCode >= 400) {
    return { kind: "replied", code: responseCode, at: stageOf(error as SmtpFailure) };
  }
  return { kind: code === "ETIMEDOUT" ? "timeout" : noAnswer(error) };
}

function stageOf({ code, command }: SmtpFailure): Extract<MailResult, { kind: "replied" }>["at"] {
  if (code === "EAUTH") return "sign_in";
  if (command === "CONN" || command === "EHLO" || command === "HELO") return "greeting";
  return command === "MAIL FROM" ? "sender" : "message";
}

function refusedOf({ rejectedErrors }: SmtpFailure): Refused[] {
  if (!Array.isArray(rejectedErrors)) return [];
  return rejectedErrors.map(({ recipient, responseCode }) => ({ recipient, code: responseCode ?? 450 }));
}
