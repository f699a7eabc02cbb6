import type { RunContext } from "../../src/core/runs/protocol.ts";
import { quoted, withItsLines } from "./engineForms.ts";
import { collectSensitive } from "./sensitiveValues.ts";

/** A value this short is no secret, and hiding it would shred every log. */
const MIN_SECRET_BYTES = 3;
/** Parts of a secret, and base64 at an odd offset, must be long enough not to hit ordinary text. */
const MIN_PART_BYTES = 8;
const MIN_SHIFTED_BASE64 = 8;

/** Every secret value of a run context. A user name alone is none, but what git sends is built from both. */
export function secretsOf(context: RunContext): string[] {
  const environment = context.environment.filter((variable) => variable.secret).map((variable) => variable.value);
  const cloud = context.runtime_credentials.flatMap(({ profiles }) =>
    Object.values(profiles).flatMap((profile) => Object.values(profile)),
  );
  const scm = context.scm_credentials;
  const logins = scm === null ? [] : [scm, ...(scm.owner === undefined ? [] : [scm.owner])];
  const git = logins.flatMap(({ username, password }) => [password, `${username}:${password}`]);
  const inUrl = context.source.type === "local" ? [] : urlPassword(context.source.repository_url);
  return [...environment, ...cloud, ...git, ...inUrl];
}

/**
 * The byte forms in which a secret may show up in output: as it is, line by line, JSON-escaped, quoted, URL-encoded and
 * in base64, also inside a longer base64 text. Longest first, without doubles.
 */
export function secretForms(secrets: readonly string[]): Buffer[] {
  const forms = new Map<string, Buffer>();
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      if (form.length >= MIN_SECRET_BYTES) forms.set(form.toString("latin1"), form);
    }
  }
  return [...forms.values()].sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): Buffer[] {
  const trimmed = secret.trim();
  const values = new Set([
    secret,
    trimmed,
    ...partsOf(secret).filter((part) => Buffer.byteLength(part) >= MIN_PART_BYTES),
  ]);
  return [...values].filter((value) => Buffer.byteLength(value) >= MIN_SECRET_BYTES).flatMap(encodings);
}

/** The lines of a key, and what is in a key file of JSON: engines show both laid out anew. */
function partsOf(secret: string): string[] {
  const texts = new Set<string>();
  collectSensitive(secret, true, texts);
  return [...texts].flatMap(withItsLines);
}

function encodings(value: string): Buffer[] {
  const json = JSON.stringify(value).slice(1, -1);
  // Engines write <, > and & as \u escapes inside JSON.
  const htmlJson = json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  const texts = [value, json, htmlJson, quoted(value), ...urlForms(value)];
  return [...texts.map((text) => Buffer.from(text, "utf8")), ...base64Forms(Buffer.from(value, "utf8"))];
}

/** Encoders differ in which punctuation they touch, in the case of their hex digits and in how they write a blank. */
function urlForms(value: string): string[] {
  const loose = encodeURIComponent(value.toWellFormed());
  const strict = loose.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ "": value }).toString().slice(1);
  return [loose, strict, form]
    .flatMap((text) => [text, text.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase())])
    .flatMap((text) => [text, text.replaceAll("%20", "+")]);
}

function base64Forms(value: Buffer): Buffer[] {
  const texts = [value.toString("base64"), value.toString("base64").replace(/=+$/, "")];
  for (const offset of [0, 1, 2]) {
    // In a longer text the first and last digits mix with the neighbours' bits; the ones between are ours alone.
    const shifted = Buffer.concat([Buffer.alloc(offset), value]).toString("base64");
    const wholeDigits = Math.floor(((offset + value.length) * 8) / 6);
    const core = shifted.slice(Math.ceil((offset * 8) / 6), wholeDigits);
    if (core.length >= MIN_SHIFTED_BASE64) texts.push(core);
  }
  return texts
    .flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")])
    .map((text) => Buffer.from(text, "latin1"));
}

function urlPassword(url: string): string[] {
  const password = URL.parse(url)?.password ?? "";
  if (password === "") return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
