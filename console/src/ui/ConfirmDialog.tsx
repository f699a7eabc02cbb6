import { type ReactNode, useState } from "react";
import { Field } from "./Field.tsx";
import { FormDialog } from "./FormDialog.tsx";

type Props = {
  title: string;
  action: string;
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  /** What will be gone, and what will not. */
  children: ReactNode;
  /** Typed first where much would be lost. */
  phrase?: string;
};

/** Asks before what cannot be undone. */
export function ConfirmDialog({ title, action, busy, error, onConfirm, onClose, children, phrase }: Props) {
  const [typed, setTyped] = useState("");
  return (
    <FormDialog
      {...{ title, busy, error, onClose, onSubmit: onConfirm }}
      submit={action}
      danger
      disabled={phrase !== undefined && typed !== phrase}
    >
      <div>{children}</div>
      {phrase !== undefined && (
        <Field label={`Type ${phrase} to go on`}>
          <input value={typed} autoComplete="off" spellCheck={false} onChange={(e) => setTyped(e.target.value)} />
        </Field>
      )}
    </FormDialog>
  );
}
