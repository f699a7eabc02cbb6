import { cloneElement, type ReactElement, type ReactNode, useId } from "react";
import css from "./Field.module.css";

type Props = {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** An `input`, `select` or `textarea`. */
  children: ReactElement<{
    id?: string;
    className?: string;
    "aria-describedby"?: string | undefined;
    "aria-invalid"?: boolean;
  }>;
};

/** A control with its label, what to know about it, and what is wrong with it. */
export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        className: css.control ?? "",
        "aria-describedby": hint || error ? hintId : undefined,
        ...(error !== undefined && { "aria-invalid": true }),
      })}
      {(hint || error) && (
        <p id={hintId} className={error ? css.error : css.hint}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

type CheckProps = {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
};

export function Check({ label, hint, checked, onChange, disabled = false }: CheckProps) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint && <span className={css.hint}>{hint}</span>}
      </span>
    </label>
  );
}
