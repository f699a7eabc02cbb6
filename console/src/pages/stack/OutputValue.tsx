import { KeyRound } from "lucide-react";
import { useState } from "react";
import { exactText, parseExact } from "../../../../clients/plan/exactJson.ts";
import { revealOutput } from "../../data/outputs.ts";
import type { StackOutput } from "../../data/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { FormError } from "../../ui/FormError.tsx";
import css from "./Outputs.module.css";

type Props = { org: string; stack: string; output: StackOutput; mayReveal: boolean };

/** A value with the engine's digits. One that is sensitive comes when it is asked for, and goes with the page. */
export function OutputValue({ org, stack, output, mayReveal }: Props) {
  const { name, sensitive } = output;
  const [revealed, setRevealed] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const value = sensitive ? revealed : output.value;
  if (value !== null) {
    return (
      <span className={css.value}>
        <pre>{exactText(parseExact(value), 2)}</pre>
        <Copy text={textOf(value)} what={name} />
        {sensitive && (
          <Button small onClick={() => setRevealed(null)}>
            Hide<span className="sr-only"> {name}</span>
          </Button>
        )}
      </span>
    );
  }
  const reveal = async () => {
    setBusy(true);
    setError(null);
    try {
      setRevealed((await revealOutput(org, stack, name)).value ?? "null");
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className={css.value}>
      <span>
        <KeyRound size={13} aria-hidden /> sensitive
      </span>
      {mayReveal && (
        <Button small busy={busy} onClick={() => void reveal()}>
          Show<span className="sr-only"> {name}</span>
        </Button>
      )}
      <FormError error={error} />
    </span>
  );
}

/** A text without its quotes. */
function textOf(value: string): string {
  return value.startsWith('"') ? (JSON.parse(value) as string) : value;
}
