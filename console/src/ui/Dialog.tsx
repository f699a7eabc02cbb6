/** A native modal dialog: the browser keeps the focus inside, closes it on Escape, and gives the focus back. */
import { X } from "lucide-react";
import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from "react";
import { IconButton } from "./Button.tsx";
import { classes } from "./classes.ts";
import css from "./Dialog.module.css";

type Props = {
  title: string;
  /** Null where it may not be closed without an answer. */
  onClose: (() => void) | null;
  children: ReactNode;
  /** Buttons, the one that goes on last. */
  actions?: ReactNode;
  wide?: boolean;
};

const CONTROLS = "[data-body] :is(input, select, textarea):not(:disabled)";

/** Open for as long as it is rendered. */
export function Dialog({ title, onClose, children, actions, wide = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser would begin with the button that closes it.
    dialog?.querySelector<HTMLElement>(CONTROLS)?.focus();
    return () => dialog?.close();
  }, []);
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault();
    onClose?.();
  };
  return (
    <dialog ref={ref} className={classes(css.dialog, wide && css.wide)} aria-labelledby={titleId} onCancel={onCancel}>
      <header className={css.head}>
        <h2 id={titleId}>{title}</h2>
        {onClose && <IconButton label="Close" icon={<X size={18} />} onClick={onClose} />}
      </header>
      <div className={css.body} data-body>
        {children}
      </div>
      {actions && <footer className={css.actions}>{actions}</footer>}
    </dialog>
  );
}
