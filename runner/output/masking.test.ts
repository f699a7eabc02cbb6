import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maskText, StreamMasker } from "./masking.ts";
import { secretForms } from "./secretForms.ts";

/** A small alphabet, so that secrets occur, overlap and repeat by chance. */
const letters = (min: number, max: number) =>
  fc.array(fc.constantFrom("a", "b", "c"), { minLength: min, maxLength: max }).map((list) => list.join(""));

/** A secret that begins with an `a` begins with one of these, escaped or not. */
const BEGINNINGS = new Set([..."a\\%&"].map((sign) => sign.charCodeAt(0)));

/** Cuts a text at random places. */
function cut(text: Buffer, places: number[]): Buffer[] {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  let start = 0;
  return ends.map((end) => {
    const piece = text.subarray(start, end);
    start = end;
    return piece;
  });
}

function stream(forms: Buffer[], pieces: Buffer[]): string {
  const masker = new StreamMasker(forms);
  return Buffer.concat([...pieces.map((piece) => masker.push(piece)), masker.end()]).toString("utf8");
}

/** The definition, byte by byte: covered bytes are hidden, overlapping secrets as one stretch. */
function masked(text: string, secrets: string[]): string {
  const startsAt = secrets.flatMap((secret) =>
    [...text].flatMap((_, at) => (text.startsWith(secret, at) ? [{ at, end: at + secret.length }] : [])),
  );
  let shown = "";
  for (let at = 0; at < text.length; ) {
    if (!startsAt.some((span) => span.at === at)) {
      shown += text[at];
      at += 1;
      continue;
    }
    let end = at + 1;
    for (let inside = at; inside < end; inside += 1) {
      for (const span of startsAt) if (span.at === inside) end = Math.max(end, span.end);
    }
    shown += "***";
    at = end;
  }
  return shown;
}

describe("StreamMasker", () => {
  test("hides exactly the secrets, however the stream is cut", () => {
    fc.assert(
      fc.property(
        fc.array(letters(1, 5), { minLength: 1, maxLength: 4 }),
        letters(0, 60),
        fc.array(fc.nat(), { maxLength: 12 }),
        (secrets, text, places) => {
          const forms = secrets.map((secret) => Buffer.from(secret));
          expect(stream(forms, cut(Buffer.from(text), places))).toBe(masked(text, secrets));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("passes everything else through at once and unchanged, also broken UTF-8", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const masker = new StreamMasker([Buffer.from("a secret that is not in there")]);
        const text = Buffer.from(bytes).filter((byte) => !BEGINNINGS.has(byte));
        expect(masker.push(text).equals(text)).toBe(true);
        expect(masker.end()).toHaveLength(0);
      }),
    );
  });

  test("holds back no more than the longest secret, even in output that is one long run of it", () => {
    const masker = new StreamMasker([Buffer.from("aaaa")]);
    let shown = 0;
    for (let at = 0; at < 1_000; at += 1) shown += masker.push(Buffer.from("a".repeat(100))).length;
    expect(shown).toBe(3);
    expect(masker.end().toString()).toBe("");
  });
});

describe("forms of a secret", () => {
  const secret = fc
    .string({ unit: "grapheme", minLength: 6, maxLength: 40 })
    .filter((value) => value.trim().length > 5);
  /** No mask, and no neighbour that could complete a secret by chance. */
  const hides = (value: string, shown: string) => maskText(`<${shown}>`, secretForms([value]));

  test("as a plain shell writes it: an apostrophe within apostrophes, and sequences that echo carries out", () => {
    const value = "Tr0ub4dor's-Horse-Battery";
    expect(hides(value, `export PW='Tr0ub4dor'"'"'s-Horse-Battery'`)).not.toMatch(/Tr0ub|Horse/);
    const pieces = [..."x='Tr0ub4dor'\"'\"'s-Horse-Battery'"].map((sign) => Buffer.from(sign));
    expect(stream(secretForms([value]), pieces)).toBe("x='***'");
    expect(hides("T7\\n9sGq\\\\vLm2!xRw", "T7\n9sGq\\vLm2!xRw")).toBe("<***>");
    expect(hides("Wq8'zeta-Long\\nUmber55\\tOmega77xyz", "Wq8'zeta-Long\nUmber55\tOmega77xyz")).toBe("<***>");
    expect(hides("with-\\x41\\101-codes", "with-AA-codes")).toBe("<***>");
    expect(hides("shown-as\\cfar-as-this", "shown-as")).toBe("<***>");
    expect(hides("two''of-them", `'two'"''"'of-them'`)).toBe("<'***'>");
    expect(hides("control\x01\x1b\x7fsigns", "$'control\\001\\E\\177signs'")).toBe("<$'***'>");
    expect(hides("Größe-ß", "$'Gr\\303\\266\\303\\237e-\\303\\237'")).toBe("<$'***'>");
  });

  test("a pair of codes is one sign, wherever the stream is cut within it", () => {
    const written = "q%3D%2522Fw%255Cud835%255Cudcb3uH%255Cud83d%255Cude00-end%2522";
    for (let at = 1; at < written.length; at += 1) {
      const pieces = [written.slice(0, at), written.slice(at)].map((piece) => Buffer.from(piece));
      expect(stream(secretForms(["Fw𝒳uH😀-end"]), pieces)).toBe("q%3D%2522***%2522");
    }
  });

  test("a code above 127 is the byte that a shell prints", () => {
    const printed = Buffer.from("before pass\xe9-and-more after", "latin1");
    for (const value of ["pass\\351-and-more", "pass\\0351-and-more", "pass\\xe9-and-more"]) {
      const masker = new StreamMasker(secretForms([value]));
      expect(Buffer.concat([masker.push(printed), masker.end()]).toString("latin1")).toBe("before *** after");
    }
  });

  test("plain, JSON, URL-encoded, form-encoded and base64 are all hidden", () => {
    fc.assert(
      fc.property(secret, (value) => {
        expect(hides(value, value)).not.toContain(value);
        // A run of quotes counts as one sign, so the closing one may be hidden with it.
        expect(hides(value, JSON.stringify(value))).toMatch(/^<"?\*\*\*"?>$/);
        expect(hides(value, encodeURIComponent(value))).toBe("<***>");
        expect(hides(value, new URLSearchParams({ q: value }).toString().slice(2))).toBe("<***>");
        expect(hides(value, Buffer.from(value).toString("base64"))).toBe("<***>");
        expect(hides(value, Buffer.from(value).toString("base64url"))).toBe("<***>");
        const twice = Buffer.from(Buffer.from(value).toString("base64")).toString("base64");
        expect(hides(value, twice)).toBe("<***>");
      }),
    );
  });

  test("base64 of a longer text shows nothing of the secret inside", () => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 10 }), fc.string({ maxLength: 10 }), (value, before, after) => {
        fc.pre(Buffer.byteLength(value) >= 9);
        const shown = hides(value, Buffer.from(before + value + after).toString("base64"));
        const decoded = Buffer.from(shown.slice(1, -1).replaceAll("*", ""), "base64").toString();
        expect(shown).toContain("***");
        expect(decoded).not.toContain(value);
      }),
    );
  });

  test("each line of a key is hidden, as engines indent them", () => {
    const key = "-----BEGIN KEY-----\nMHcCAQEEIBq8w1\nzXkLmNoPqRsTuV\n-----END KEY-----\n";
    const indented = key.split("\n").map((line) => `      ${line}`);
    expect(maskText(indented.join("\n"), secretForms([key]))).not.toMatch(/MHcC|zXkL/);
  });

  test("the parts of a key file are hidden, as engines lay JSON out anew", () => {
    const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----\n";
    const file = JSON.stringify({
      type: "sa",
      private_key: key,
      nested: { ids: ["identifier-1"], number: 1234567890 },
    });
    const shown = `jsonencode({
      type        = "sa"
      private_key = <<-EOT
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkq
        -----END PRIVATE KEY-----
      EOT
      nested      = { ids = ["identifier-1"], number = 1234567890 }
    })`;
    const masked = maskText(shown, secretForms([file]));
    expect(masked).toContain('type        = "sa"');
    expect(masked).not.toMatch(/PRIVATE|MIIEvQ|identifier-1|1234567890/);
    expect(maskText(`key: ${file}!`, secretForms([file]))).toBe("key: ***!");
  });

  test("what is too short to be a secret is left alone", () => {
    expect(secretForms(["", "a", "ok", "\n"])).toEqual([]);
  });
});

test("a secret that comes to be known meanwhile is hidden from then on, also in what is held back", () => {
  const known = secretForms(["first-secret-of-the-run"]);
  const further = secretForms(["sensitive-in-the-plan"]);
  const masker = new StreamMasker(known, undefined, further);
  const shown = [masker.push(Buffer.from("first-secret-of-the-run, "))];
  known.push(...secretForms(["a-token-that-came-later"]));
  for (const piece of ["a-token-that-", "came-later, sensitive-in", "-the-plan."])
    shown.push(masker.push(Buffer.from(piece)));
  shown.push(masker.end());
  expect(Buffer.concat(shown).toString()).toBe("***, ***, ***.");
});
