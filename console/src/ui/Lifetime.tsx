import { Field } from "./Field.tsx";

const CHOICES = [
  ["P1D", "1 day"],
  ["P7D", "7 days"],
  ["P30D", "30 days"],
  ["P90D", "90 days"],
  ["P365D", "365 days"],
] as const;

type Props = {
  /** Empty for what the service gives by itself. */
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  label?: string;
};

/** How long something holds, from now on. */
export function Lifetime({ value, onChange, error, label = "Holds for" }: Props) {
  return (
    <Field label={label} error={error}>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">as long as is usual here</option>
        {CHOICES.map(([duration, words]) => (
          <option key={duration} value={duration}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}
