/** Finds comments that are too wide. The formatter keeps code within its line, and leaves comments as they are. */

export const WIDTH = 120;

/** A line that begins with a comment, or goes on with one. A remark behind code is not meant. */
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

/** The numbers of the lines of a source file that are comments and too long. */
export function longComments(text: string): number[] {
  return text.split("\n").flatMap((line, index) => (line.length > WIDTH && COMMENT.test(line) ? [index + 1] : []));
}
