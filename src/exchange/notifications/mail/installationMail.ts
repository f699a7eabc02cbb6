/**
 * The installation's own mail server, named by its operator. Organizations mail through it to the domains that the
 * operator opened, so that nobody's inbox is filled in the operator's name.
 */
import { InvalidValueError } from "../../../platform/problems/requestErrors.ts";
import { domainOf } from "./mailAddress.ts";
import type { MailServer } from "./mailAuth.ts";

export type InstallationMail = {
  /** Null where the operator named none. */
  server: MailServer | null;
  /** In lower case; `*` for any. */
  domains: readonly string[];
};

type Settings = {
  server: Omit<MailServer, "from"> | undefined;
  from: string | undefined;
  domains: readonly string[];
};

/** As the settings say it. */
export function installationMail({ server, from, domains }: Settings): InstallationMail {
  return { server: server === undefined || from === undefined ? null : { ...server, from }, domains };
}

/** Those of the addresses that the installation's server is not for. */
export function notOpened({ domains }: InstallationMail, recipients: readonly string[]): string[] {
  if (domains.includes("*")) return [];
  return recipients.filter((address) => !domains.includes(domainOf(address)));
}

/** @throws InvalidValueError that names what cannot be mailed to through the installation's server */
export function assertOpened(mail: InstallationMail, recipients: readonly string[]): void {
  if (mail.server === null) {
    const message = "is required: this installation has no mail server of its own";
    throw new InvalidValueError([{ field: "auth_config.smtp", message }]);
  }
  const refused = notOpened(mail, recipients);
  if (refused.length === 0) return;
  const message = "is of a domain that the installation's mail server is not for; the operator can open it";
  throw new InvalidValueError(
    recipients.flatMap((address, at) =>
      refused.includes(address) ? [{ field: `provider_config.recipients.${at}`, message }] : [],
    ),
  );
}
