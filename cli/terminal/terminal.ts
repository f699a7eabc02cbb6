/** What the program may print, and where. Data goes to stdout, everything said about it to stderr. Pure. */
export type Terminal = {
  /** A person is there to be asked. */
  interactive: boolean;
  /** A line may be written over. */
  animated: boolean;
  /** Colours on stdout and on stderr. */
  color: { out: boolean; err: boolean };
  /** Of what shows stdout; null where nothing does. */
  width: number | null;
};

type Stream = { isTTY?: boolean | undefined; columns?: number | undefined };
type Streams = { stdin: Stream; stdout: Stream; stderr: Stream };

export function terminalOf({ stdin, stdout, stderr }: Streams, env: NodeJS.ProcessEnv, json: boolean): Terminal {
  const unattended = isSet(env.CI);
  const dumb = env.TERM === "dumb";
  const color = (stream: Stream) =>
    !isSet(env.NO_COLOR) && !json && ((stream.isTTY === true && !dumb) || isSet(env.FORCE_COLOR));
  return {
    interactive: stdin.isTTY === true && stderr.isTTY === true && !unattended && !json,
    animated: stderr.isTTY === true && !unattended && !dumb && !json,
    color: { out: color(stdout), err: color(stderr) },
    width: stdout.isTTY === true && stdout.columns ? stdout.columns : null,
  };
}

/** `CI=false` and an empty text count as unset. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false";
}
