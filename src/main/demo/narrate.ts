/** Tells the demo as it happens, with the time since its start in front of each line. */
const DIM = "\u001b[2m";
const BOLD = "\u001b[1m";
const RESET = "\u001b[0m";
const started = performance.now();

function stamp(): string {
  return `${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s`;
}

const plain = !process.stdout.isTTY;
const style = (code: string, text: string) => (plain ? text : `${code}${text}${RESET}`);

export const tell = {
  chapter: (title: string) => console.log(`\n${stamp()}  ${style(BOLD, title)}`),
  fact: (text: string) => console.log(`${stamp()}  ${text}`),
  /** A line of the engine's own output. */
  log: (line: string) => console.log(`${stamp()}    ${style(DIM, `| ${line}`)}`),
};

export function elapsedSeconds(): number {
  return (performance.now() - started) / 1000;
}
