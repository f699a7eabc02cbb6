import type { LucideIcon } from "lucide-react";
import { classes } from "./classes.ts";
import css from "./StatusBadge.module.css";
import type { Tone } from "./status.ts";

/** A state in a word with its sign, so that colour alone never tells it. */
export function Badge({ tone, icon: Icon, children }: { tone: Tone; icon?: LucideIcon; children: string }) {
  return (
    <span className={classes(css.badge, css[tone])}>
      {Icon && <Icon size={13} strokeWidth={2.25} aria-hidden />}
      {children}
    </span>
  );
}
