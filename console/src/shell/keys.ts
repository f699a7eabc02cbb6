/** Keys without a modifier, one or two after the other; not while somebody types, nor where they were turned off. */
import { currentCommands } from "./commands.ts";
import { preference } from "./preferences.ts";

/** Between two keys of one command. */
const SEQUENCE_MS = 1_200;

/** @returns what ends it */
export function listenForKeys(openPalette: () => void): () => void {
  let before = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onKey = (event: KeyboardEvent) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
      return;
    }
    if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey || event.repeat) return;
    if (preference("keys") === "off") return;
    const pressed = before === "" ? event.key : `${before} ${event.key}`;
    clearTimeout(timer);
    before = "";
    const commands = currentCommands();
    const command = commands.find(({ keys }) => keys === pressed);
    if (command !== undefined) {
      event.preventDefault();
      command.run();
    } else if (commands.some(({ keys }) => keys?.startsWith(`${pressed} `))) {
      before = pressed;
      timer = setTimeout(() => {
        before = "";
      }, SEQUENCE_MS);
    } else if (event.key === "j" || event.key === "k") moveAmongRows(event.key === "j" ? 1 : -1);
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("[role=menu], dialog") !== null) return true;
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** The links of rows, in the order of the page. */
function moveAmongRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? rows.at(step === 1 ? 0 : -1) : rows[at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
