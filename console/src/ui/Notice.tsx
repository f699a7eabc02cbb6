import { CircleX, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import css from "./Notice.module.css";

const ICONS = { info: Info, warn: TriangleAlert, bad: CircleX };

/** A sentence that matters where it stands; `alert` for what has just gone wrong. */
export function Notice({
  tone = "info",
  alert = false,
  children,
}: {
  tone?: keyof typeof ICONS;
  alert?: boolean;
  children: ReactNode;
}) {
  const Icon = ICONS[tone];
  return (
    <div className={classes(css.notice, css[tone])} role={alert ? "alert" : undefined}>
      <Icon size={16} aria-hidden className={css.icon} />
      <div className={css.text}>{children}</div>
    </div>
  );
}
