/** What the program ends with. Scripts rely on these: a number is never given another meaning. */
export const EXIT = {
  done: 0,
  failed: 1,
  changes: 2,
  usage: 3,
  notSignedIn: 4,
  notFound: 5,
  ended: 6,
  refused: 7,
  conflict: 8,
  timeout: 124,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const MEANINGS: Record<keyof typeof EXIT, string> = {
  done: "done, or nothing to do",
  failed: "failed: the deployment, the command, or the service",
  changes: "only with --detailed-exitcode: there are changes, or a person has to confirm",
  usage: "called wrongly: an option, an argument or a value",
  notSignedIn: "not signed in, or the token is of no use any more",
  notFound: "there is no such thing, or you may not see or do it",
  ended: "the deployment was cancelled, skipped or superseded",
  refused: "refused by a policy, by requirements, or by what --auto-approve allows",
  conflict: "conflicts with what happened meanwhile; nothing was changed",
  timeout: "--timeout is over; the deployment goes on",
  interrupted: "interrupted",
};

export function exitCodesText(): string {
  const lines = Object.entries(EXIT).map(
    ([name, code]) => `  ${String(code).padStart(3)}  ${MEANINGS[name as keyof typeof EXIT]}`,
  );
  return `Exit codes:\n${lines.join("\n")}\n`;
}
