/** The one polite live region, for changes that nobody looks at; and toasts, which are said there too. */
import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { IconButton } from "../ui/Button.tsx";
import { classes } from "../ui/classes.ts";
import css from "./announce.module.css";

type Toast = { id: number; text: string; tone: "ok" | "bad" };
type Said = { text: string; toasts: readonly Toast[] };

const SHOWN_MS = 6_000;

let said: Said = { text: "", toasts: [] };
let lastId = 0;
const listeners = new Set<() => void>();

function say(next: Partial<Said>): void {
  said = { ...said, ...next };
  for (const listener of listeners) listener();
}

export function announce(text: string): void {
  // The same words again are only read when something about them differs.
  say({ text: said.text === text ? `${text}\u00a0` : text });
}

export function toast(text: string, tone: Toast["tone"] = "ok"): void {
  const id = ++lastId;
  announce(text);
  say({ toasts: [...said.toasts.slice(-2), { id, text, tone }] });
  // What went wrong stays until somebody has seen it.
  if (tone === "ok") setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  say({ toasts: said.toasts.filter((shown) => shown.id !== id) });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Announcements() {
  const { text, toasts } = useSyncExternalStore(subscribe, () => said);
  return (
    <>
      <div className="sr-only" role="status" aria-live="polite">
        {text}
      </div>
      <div className={css.toasts}>
        {toasts.map(({ id, text: line, tone }) => (
          <div key={id} className={classes(css.toast, css[tone])}>
            <span>{line}</span>
            <IconButton label="Dismiss" icon={<X size={15} />} onClick={() => dismiss(id)} />
          </div>
        ))}
      </div>
    </>
  );
}
