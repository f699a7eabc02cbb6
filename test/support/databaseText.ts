/** Everything a database holds, to look for what must not be there in the clear. */
import type postgres from "postgres";

/** Every row of every table as text; binary columns are hexadecimal in it. */
export async function databaseText(sql: postgres.Sql): Promise<string> {
  const tables = await sql`select tablename from pg_tables where schemaname = 'public' order by 1`;
  const parts: string[] = [];
  for (const { tablename } of tables) {
    for (const { line } of await sql`select t::text as line from ${sql(tablename)} t`)
      parts.push(`${tablename} ${line}`);
  }
  return parts.join("\n");
}

/** The forms in which `secret` would show: as it is, in hexadecimal, and in base64 at any offset. */
export function clearForms(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const base64 = [0, 1, 2].map((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // What mixes with the neighbours' bits is left away at both ends.
    return digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return [secret, bytes.toString("hex"), ...base64];
}

/** Those forms of `secret` that `text` holds. */
export function formsIn(text: string, secret: string): string[] {
  return clearForms(secret).filter((form) => text.includes(form));
}
