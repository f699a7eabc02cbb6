/**
 * A login or address as invitations compare it: without case. The three signs that Unicode lowers to letters which
 * others have for their own (Kelvin, Angstrom, Ohm) stay what they are: at a provider that takes them for letters of
 * another name, whoever chose that name would be let in as the one who was invited.
 */
export function loginName(login: string): string {
  return login.replace(/[^\u2126\u212a\u212b]+/g, (text) => text.toLowerCase());
}
