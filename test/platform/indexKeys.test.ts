/** An index entry that is too long fails the whole statement: no value that a column admits may make one. */
import { expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { boundOf, indexKeys } from "../support/indexKeys.ts";

/** A third of a page, less its own overhead: the longest entry of a btree. */
const LONGEST = 2_704;

const tooLong = (keys: Awaited<ReturnType<typeof indexKeys>>) =>
  keys
    .filter(({ bytes, unbounded }) => unbounded.length > 0 || bytes > LONGEST)
    .map(({ index, bytes, unbounded }) => `${index}: ${unbounded.join(", ") || `${bytes} bytes`}`);

test("every btree index holds the longest value that each of its columns admits", async () => {
  await using database = await freshDatabase({ max: 1 });
  const keys = await indexKeys(database.sql);
  expect(keys.length).toBeGreaterThan(150);
  expect(tooLong(keys)).toEqual([]);
});

test("an index over text without a bound, over a document, and over bounds that are too much together is told", async () => {
  await using database = await freshDatabase({ max: 1 });
  await database.sql.unsafe(`
    create table listed (id uuid primary key, note text, doc jsonb, code text check (code ~ '^[a-z]{1,9}-x+$'),
      a text check (length(a) <= 500), b text check (octet_length(b) <= 1000));
    create index listed_note on listed (note);
    create index listed_doc on listed (id, doc);
    create index listed_code on listed (code);
    create index listed_upper on listed (upper(a));
    create index listed_both on listed (a, b);
    create index listed_fine on listed (b, id);`);
  expect(tooLong(await indexKeys(database.sql))).toEqual([
    "listed_both: 3032 bytes",
    "listed_code: code",
    "listed_doc: doc",
    "listed_note: note",
    "listed_upper: upper(a)",
  ]);
});

test.each([
  ["CHECK (octet_length(branch) <= 765) NOT VALID", 765],
  ["CHECK (length(name) >= 1 AND length(name) <= 100)", 400],
  ["CHECK (length(token_sha256) = 32)", 32],
  ["CHECK (slug ~ '^[a-z0-9._-]{1,100}$'::text)", 100],
  ["CHECK (kind = ANY (ARRAY['plan'::text, 'analysis'::text]))", 8],
  ["CHECK (labels ~ '^.*$'::text)", null],
  ["CHECK (NOT starts_with(key, 'svc:'::text))", null],
])("%s", (check, bytes) => {
  expect(boundOf(check)).toBe(bytes);
});
