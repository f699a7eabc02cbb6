import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Check } from "../../ui/Field.tsx";
import css from "./Page.module.css";
import type { Line } from "./variables.ts";

type Props = {
  lines: readonly Line[];
  onChange: (lines: readonly Line[]) => void;
  empty: Line;
  error: string | undefined;
};

export function VariableLines({ lines, onChange, empty, error }: Props) {
  const replace = (at: number, change: Partial<Line>) =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...change } : line)));
  return (
    <fieldset className={css.lines}>
      <legend>Variables</legend>
      {lines.map((line, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else to be known by, and keep their order
          key={index}
          className={css.line}
        >
          <input
            className={css.text}
            aria-label={`Name of variable ${index + 1}`}
            placeholder="NAME"
            value={line.name}
            pattern="[A-Za-z_][A-Za-z0-9_]*"
            spellCheck={false}
            onChange={(event) => replace(index, { name: event.target.value, isStored: false })}
          />
          <input
            className={css.text}
            type={line.secret ? "password" : "text"}
            aria-label={`Value of variable ${index + 1}`}
            placeholder={line.secret && line.isStored ? "stays as it is" : "value"}
            value={line.value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => replace(index, { value: event.target.value })}
          />
          <Check label="Secret" checked={line.secret} onChange={(secret) => replace(index, { secret })} />
          <IconButton
            label={`Remove variable ${index + 1}`}
            icon={<Trash2 size={15} />}
            onClick={() => onChange(lines.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {error && <p className={css.error}>{error}</p>}
      <span className={css.start}>
        <Button small icon={<Plus size={14} aria-hidden />} onClick={() => onChange([...lines, empty])}>
          Another variable
        </Button>
      </span>
    </fieldset>
  );
}
