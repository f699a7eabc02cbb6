import type { ReactNode } from "react";
import css from "./Actions.module.css";

/** Buttons beside each other. */
export function Actions({ children }: { children: ReactNode }) {
  return <span className={css.actions}>{children}</span>;
}
