import { classes } from "./classes.ts";
import css from "./StatusBadge.module.css";
import { signOf } from "./status.ts";

/** @param mine it waits, and the reader is one of those it waits for */
export function StatusBadge({ status, mine = false }: { status: string; mine?: boolean }) {
  const { word, tone, icon: Icon } = signOf(status);
  return (
    <span className={classes(css.badge, css[tone])} data-status={status}>
      <Icon size={13} strokeWidth={2.25} aria-hidden />
      {mine && status === "waiting" ? "Waits for you" : word}
    </span>
  );
}
