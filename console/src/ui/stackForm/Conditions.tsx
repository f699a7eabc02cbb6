import { Check } from "../Field.tsx";
import css from "./Conditions.module.css";
import { CONDITIONS, type Condition, conditionsOf, conditionText } from "./draft.ts";

const WORDS: Record<Condition, string> = {
  approved: "somebody with write access has approved it",
  mergeable: "it can be merged",
  checks_passed: "its required checks have passed",
};

type Props = {
  legend: string;
  hint: string;
  /** With a comma between two. */
  value: string;
  error: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
};

/** What has to hold of a pull request before something is done with it; none of it where nothing is ticked. */
export function Conditions({ legend, hint, value, error, disabled, onChange }: Props) {
  const required = conditionsOf(value);
  const set = (condition: Condition, on: boolean) => {
    const others = required.filter((each) => each !== condition);
    onChange(conditionText(on ? [...others, condition] : others));
  };
  return (
    <fieldset className={css.conditions}>
      <legend>{legend}</legend>
      {CONDITIONS.map((condition) => (
        <Check
          key={condition}
          label={WORDS[condition]}
          checked={required.includes(condition)}
          disabled={disabled}
          onChange={(on) => set(condition, on)}
        />
      ))}
      <p className={error === undefined ? css.hint : css.error}>{error ?? hint}</p>
    </fieldset>
  );
}
