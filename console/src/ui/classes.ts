/** One `class` out of several; what is false or absent is left out. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter((name): name is string => typeof name === "string" && name !== "").join(" ");
}
