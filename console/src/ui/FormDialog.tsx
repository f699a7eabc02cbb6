/** A dialog whose button sends what is in it. What the service refuses stands at its field, and the rest above. */
import { type ReactNode, type SyntheticEvent, useId } from "react";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";
import css from "./FormDialog.module.css";
import { FormError } from "./FormError.tsx";

type Props = {
  title: string;
  submit: string;
  busy: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  danger?: boolean;
  disabled?: boolean;
};

export function FormDialog(props: Props) {
  const { title, submit, busy, error, onSubmit, onClose, children, wide = false, danger = false, disabled } = props;
  const id = useId();
  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!busy) onSubmit();
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" form={id} kind={danger ? "danger" : "primary"} busy={busy} disabled={disabled}>
        {submit}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} wide={wide} actions={actions}>
      <form id={id} className={css.form} onSubmit={send}>
        <FormError error={error} />
        {children}
      </form>
    </Dialog>
  );
}
