/** An e-mail address that can stand in a header and in an envelope as it is. */
import * as v from "valibot";

const NAME = "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}";
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const ADDRESS = new RegExp(`^${NAME}@${LABEL}(?:\\.${LABEL})*$`);

/** Neither quotes nor blanks, brackets or line ends: nothing that would begin another address or header. */
export const MailAddress = v.pipe(
  v.string(),
  v.maxLength(254),
  v.metadata({ format: "email" }),
  v.regex(ADDRESS, "expected an e-mail address"),
);

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** Domains, comma-separated, or `*` for any. */
export const mailDomains = v.pipe(
  v.string(),
  v.transform((text) => text.split(",").flatMap((part) => part.trim().toLowerCase() || [])),
  v.check(
    (list) => list.every((domain) => domain === "*" || DOMAIN.test(domain)),
    "expected domains, comma-separated, or *",
  ),
);
