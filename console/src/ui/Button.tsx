import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import css from "./Button.module.css";
import { classes } from "./classes.ts";

export type ButtonKind = "primary" | "plain" | "quiet" | "danger";

type Props = Omit<ComponentProps<"button">, "className"> & {
  kind?: ButtonKind;
  small?: boolean;
  /** Something is under way that it began; it stays in its place and cannot be pressed again. */
  busy?: boolean;
  icon?: ReactNode;
};

export function Button({ kind = "plain", small = false, busy = false, icon, children, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest["aria-disabled"]}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
      className={buttonClass(kind, small)}
    >
      {busy ? <LoaderCircle className={css.spin} size={15} aria-hidden /> : icon}
      {children}
    </button>
  );
}

/** For links that look like buttons. */
export function buttonClass(kind: ButtonKind = "plain", small = false): string {
  return classes(css.button, css[kind], small && css.small);
}

type IconButtonProps = Omit<ComponentProps<"button">, "className" | "children"> & { label: string; icon: ReactNode };

/** A button without words: what it does is its label and its tip. */
export function IconButton({ label, icon, ...rest }: IconButtonProps) {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={css.icon}>
      {icon}
    </button>
  );
}
