/**
 * Where an integration sends and what it proves itself with: one envelope, write-only, encrypted at rest
 * (docs/rules/notifications.md#secrets-of-an-integration).
 */
import { sealedAuth } from "../sealedIntegration/sealedAuth.ts";
import { HTTP_PARTS, type HttpAuth, type HttpAuthBody, type HttpPart, mergeHttpAuth } from "./httpAuth.ts";
import { MAIL_PARTS, type MailAuth, type MailAuthBody, type MailPart, mergeMailAuth } from "./mail/mailAuth.ts";
import type { NotificationAuthSummary } from "./schema.ts";

/** As stored, sealed. */
export type AuthConfig = HttpAuth | MailAuth;
/** On the wire. */
export type AuthConfigBody = HttpAuthBody | MailAuthBody;

export function isMail<A extends HttpAuth | HttpAuthBody, M extends MailAuth | MailAuthBody>(auth: A | M): auth is M {
  return "smtp" in auth;
}

/** What a write makes of what is stored; an integration never changes between addresses and mail servers. */
export function mergeAuth(stored: AuthConfig | null, sent: AuthConfigBody): AuthConfig {
  if (isMail(sent)) return mergeMailAuth(stored !== null && isMail(stored) ? stored : null, sent);
  return mergeHttpAuth(stored === null || isMail(stored) ? null : stored, sent);
}

type Part = HttpPart | MailPart;

/** Which parts are others. Null: what was there is not known. */
export function changedParts(before: AuthConfig | null, after: AuthConfig): Part[] {
  const parts = (isMail(after) ? MAIL_PARTS : HTTP_PARTS) as readonly [Part, (auth: AuthConfig) => unknown][];
  const same = (part: (auth: AuthConfig) => unknown) =>
    before !== null && JSON.stringify(part(before)) === JSON.stringify(part(after));
  return parts.filter(([, part]) => !same(part)).map(([name]) => name);
}

export function summaryOf(auth: AuthConfig): NotificationAuthSummary {
  if (!isMail(auth)) {
    return { has_secret: auth.secret !== undefined, header_count: Object.keys(auth.headers ?? {}).length };
  }
  if (auth.smtp === null) return { has_secret: false, header_count: 0, smtp: null };
  const { password, ...smtp } = auth.smtp;
  return { has_secret: password !== undefined, header_count: 0, smtp };
}

export const { seal: sealAuth, open: openAuth } = sealedAuth<AuthConfig>("notification_integrations");
