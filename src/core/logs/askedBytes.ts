/** Which bytes of a log a request asks for. */
import type { Context } from "hono";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";

type Asked = { start: number; end: number; partial: boolean };

/** `?offset=&limit=`, else `Range`. @throws InvalidValueError */
export function askedBytes(c: Context, size: number): Asked | "unsatisfiable" {
  const offset = byteCount(c, "offset");
  const limit = byteCount(c, "limit");
  if (offset !== undefined || limit !== undefined) {
    const start = Math.min(offset ?? 0, size);
    return { start, end: Math.min(size, start + (limit ?? size)), partial: false };
  }
  // If-Range asks for the whole unless a validator matches, and a log has none.
  return byteRange(c.req.header("if-range") === undefined ? c.req.header("range") : undefined, size);
}

/** A number of bytes in the query string. @throws InvalidValueError */
export function byteCount(c: Context, name: "offset" | "limit"): number | undefined {
  const text = c.req.query(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidValueError([{ field: name, message: "expected a whole number of bytes" }]);
}

/** One range of bytes as RFC 9110 has it; another unit, several ranges or nonsense are ignored, as it also says. */
export function byteRange(header: string | undefined, size: number): Asked | "unsatisfiable" {
  const whole = { start: 0, end: size, partial: false };
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return whole;
  if (first === "") {
    const tail = Math.min(Number(last), size);
    return tail === 0 ? "unsatisfiable" : { start: size - tail, end: size, partial: true };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return whole;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1), partial: true };
}
