/** One attempt, by whatever way the integration is sent to. */
import type { Egress } from "../../platform/egress/egress.ts";
import { type AuthConfig, isMail } from "./authConfig.ts";
import type { Mail } from "./formats/mailMessage.ts";
import { type InstallationMail, notOpened } from "./mail/installationMail.ts";
import { mailOutcome } from "./mail/mailVerdict.ts";
import { sendMail } from "./mail/sendMail.ts";
import { type Post, post } from "./post.ts";
import { type Outcome, postOutcome } from "./verdict.ts";

export type SendDeps = {
  egress: Pick<Egress, "request" | "connect">;
  mail: InstallationMail;
  timeoutMs?: number;
};

export type Sent = Post & {
  /** Of an e-mail: all whom it names, and those who have not got it. */
  to: readonly string[];
  recipients: readonly string[];
  occurredAt: Date;
};

/** Longest time a target may take, name resolution to last byte. */
const SEND_TIMEOUT_MS = 10_000;

/** @returns with the outcome, of an e-mail that some got, who has not got it */
export async function send(
  { egress, mail, timeoutMs = SEND_TIMEOUT_MS }: SendDeps,
  auth: AuthConfig,
  sent: Sent,
): Promise<{ outcome: Outcome; left: string[] | null }> {
  if (!isMail(auth)) return { outcome: postOutcome(await post(egress, auth, sent, timeoutMs)), left: null };
  const server = auth.smtp ?? mail.server;
  if (server === null) return dead("the installation has no mail server");
  const { recipients } = sent;
  if (recipients.length === 0) return dead("none of its recipients is one of the integration any more");
  if (auth.smtp === null && notOpened(mail, recipients).length > 0) {
    return dead("the installation's mail server is not for all of its recipients; the operator can open their domains");
  }
  const { occurredAt: date, body, ...rest } = sent;
  const outgoing = { ...rest, ...(JSON.parse(body) as Mail), date };
  const result = await sendMail({ egress, timeoutMs, trusted: auth.smtp === null }, server, outgoing);
  return mailOutcome(result, recipients.length);
}

function dead(error: string): { outcome: Outcome; left: null } {
  return { outcome: { took: false, status: null, error, permanent: true }, left: null };
}
