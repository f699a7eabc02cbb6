/** Limits of the system that a run can hit, as reasons that people can act on. */

const REASONS: ReadonlyMap<string, string> = new Map([
  ["E2BIG", "its variables and arguments are larger together, or one of them is, than this system takes (E2BIG)"],
  ["ENOSPC", "no space is left on the runner's disk (ENOSPC)"],
  ["EDQUOT", "the disk quota of the runner's user is used up (EDQUOT)"],
  ["EFBIG", "a file is larger than the runner's system or its limits allow (EFBIG)"],
  ["ENAMETOOLONG", "a file name or path is longer than the runner's system takes (ENAMETOOLONG)"],
  ["EMFILE", "the runner's process has as many files open as it may (EMFILE)"],
  ["ENFILE", "the runner's machine has as many files open as it may (ENFILE)"],
  ["ENOMEM", "the runner's machine has no memory left (ENOMEM)"],
  ["EAGAIN", "the runner's user has as many processes as it may (EAGAIN)"],
  ["EROFS", "the runner's disk is read-only (EROFS)"],
  ["EACCES", "the runner's user may not do that (EACCES)"],
  ["EPERM", "the runner's user may not do that (EPERM)"],
  ["EIO", "the runner's disk has an error (EIO)"],
  ["ELOOP", "a path has too many symbolic links (ELOOP)"],
  ["EMLINK", "a file has more links than the runner's system takes (EMLINK)"],
  ["ENOENT", "a file or program is missing (ENOENT)"],
  ["ENOTDIR", "a part of a path is no directory (ENOTDIR)"],
  ["ERR_STRING_TOO_LONG", "a text is longer than the runner can hold (ERR_STRING_TOO_LONG)"],
  ["ERR_FS_FILE_TOO_LARGE", "a file is larger than the runner can read (ERR_FS_FILE_TOO_LARGE)"],
  ["ERR_BUFFER_TOO_LARGE", "a file is larger than the runner can hold (ERR_BUFFER_TOO_LARGE)"],
  ["ERR_INVALID_ARG_VALUE", "a variable or argument holds a zero byte (ERR_INVALID_ARG_VALUE)"],
]);

/** What the system says by this code; the code itself when it says nothing more. */
export function systemReason(code: string): string {
  return REASONS.get(code) ?? code;
}

const SIGNALS: ReadonlyMap<string, string> = new Map([
  ["SIGXFSZ", "a file grew larger than the runner's limits allow"],
  ["SIGXCPU", "it used more CPU time than the runner's limits allow"],
]);

/** How a program was ended, with the limit that a signal speaks of. */
export function endedBy(signal: string | null): string {
  const limit = SIGNALS.get(signal ?? "");
  return `was ended by ${signal}${limit === undefined ? "" : ` (${limit})`}`;
}

/** Why something went wrong, as far as people may read it: a limit of the system, else only the kind of error. */
export function publicReason(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === "string" && REASONS.has(code) ? systemReason(code) : (code ?? name ?? "Error");
}
