/** What an attempt to mail means: for whom it is done, for whom it is tried again, or that it is dead. Pure. */
import type { Outcome } from "../verdict.ts";
import type { MailResult, Refused } from "./sendMail.ts";

const WITHOUT_REPLY = {
  timeout: "the mail server did not answer in time",
  unreachable:
    "the mail server could not be reached, or did not speak as one: look at host, port and security; " +
    "if its address is not public, the operator can open it with SVC_EGRESS_ALLOW",
  certificate: "the mail server's certificate is not trusted, has expired or is for another name",
  no_tls: "the mail server does not begin TLS of version 1.2 or later, and nothing is sent without",
} as const;

const REFUSED = {
  greeting: "the connection",
  sign_in: "the user name and password",
  sender: "the sender",
  message: "it",
} as const;

/** A reply of 4yz is meant for now, one of 5yz for good (RFC 5321, 4.2.1). */
const isForGood = (code: number) => code >= 500;

/** @returns besides the outcome, who has not got it: null when nobody got it */
export function mailOutcome(result: MailResult, recipients: number): { outcome: Outcome; left: string[] | null } {
  if (result.kind === "replied") {
    const { code, at } = result;
    const error = `the mail server ${isForGood(code) ? `refused ${REFUSED[at]}` : "put it off"} with ${code}`;
    return { outcome: { took: false, status: code, error, permanent: isForGood(code) }, left: null };
  }
  if (result.kind !== "taken") {
    return { outcome: { took: false, status: null, error: WITHOUT_REPLY[result.kind], permanent: false }, left: null };
  }
  const { refused } = result;
  const [first] = refused;
  if (first === undefined) return { outcome: { took: true }, left: null };
  const status = (refused.find(({ code }) => !isForGood(code)) ?? first).code;
  const error = `the mail server refused ${refused.length} of ${recipients} recipients, with ${codesOf(refused)}`;
  const outcome = { took: false, status, error, permanent: isForGood(status) } as const;
  return { outcome, left: refused.map(({ recipient }) => recipient) };
}

function codesOf(refused: readonly Refused[]): string {
  return [...new Set(refused.map(({ code }) => code))].sort().join(" and ");
}
