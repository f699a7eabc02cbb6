import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import css from "./FilterBar.module.css";

/** Controls above a list. What they are set to stands in the address. */
export function FilterBar({ children, onClear }: { children: ReactNode; onClear?: (() => void) | undefined }) {
  return (
    <search className={css.bar}>
      {children}
      {onClear && (
        <Button kind="quiet" small icon={<X size={14} aria-hidden />} onClick={onClear}>
          Clear
        </Button>
      )}
    </search>
  );
}

type SelectProps = {
  label: string;
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
};

/** One of several or any. */
export function FilterSelect({ label, value, options, onChange }: SelectProps) {
  // A value out of a written address that is none of the choices is shown as it is.
  const known = value === undefined || options.some((option) => option.value === value);
  return (
    <select
      className={css.control}
      aria-label={label}
      value={value ?? ""}
      data-set={value !== undefined || undefined}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{label}: any</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
      {!known && <option value={value}>{value}</option>}
    </select>
  );
}

type TextProps = { label: string; value: string | undefined; onChange: (value: string | undefined) => void };

/** Taken over when somebody stops typing in it, so that not each letter asks the service. */
export function FilterText({ label, value, onChange }: TextProps) {
  return (
    <input
      type="search"
      // Another address fills it anew.
      key={value ?? ""}
      className={css.control}
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      spellCheck={false}
      onKeyDown={(event) => event.key === "Enter" && onChange(event.currentTarget.value.trim() || undefined)}
      onBlur={(event) => {
        const text = event.currentTarget.value.trim() || undefined;
        if (text !== value) onChange(text);
      }}
    />
  );
}
