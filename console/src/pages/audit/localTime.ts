/** Instants as an input of the browser has them, which knows no zone, and back. Pure but for the reader's zone. */

export function toLocal(instant: string | undefined): string {
  const at = new Date(instant ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromLocal(text: string): string | undefined {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
