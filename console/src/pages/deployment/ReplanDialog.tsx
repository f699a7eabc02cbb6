/** Another plan of the same commit, narrowed to what was ticked. */
import { useId, useState } from "react";
import { REPLANS, type Replan, replanBody, replanProblem } from "../../plan/selection.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorText } from "../../ui/states.tsx";
import type { DialogProps } from "./dialogProps.ts";
import css from "./ReplanDialog.module.css";
import { isPlanChanged } from "./useDecisions.ts";
import { WhoPlanned } from "./WhoPlanned.tsx";

const WORDS: Record<Replan, { label: string; hint: string }> = {
  only: { label: "Only these", hint: "and what they depend on" },
  without: { label: "Without these", hint: "and without what depends on them" },
  replace: { label: "Replace these", hint: "destroyed and made anew, whether they changed or not" },
};

export function ReplanDialog({ place, deployment, screen, writes: { replan }, onClose }: DialogProps) {
  const [kind, setKind] = useState<Replan>("only");
  const [text, setText] = useState("");
  const typed = useId();
  const addresses = [...new Set([...screen.picked, ...text.split("\n").map((line) => line.trim())])].filter(Boolean);
  const problem = replanProblem(kind, addresses, deployment.tool);
  const changed = isPlanChanged(replan.error);
  return (
    <Dialog
      title="Plan again"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            busy={replan.isPending}
            disabled={problem !== null}
            onClick={() => replan.mutate({ body: replanBody(kind, addresses), runId: screen.shown ?? "" })}
            data-yes
          >
            Plan again
          </Button>
        </>
      }
    >
      <fieldset className={css.kinds}>
        <legend className="sr-only">What to plan</legend>
        {REPLANS.map((each) => (
          <label key={each} className={css.kind}>
            <input type="radio" name="replan" checked={kind === each} onChange={() => setKind(each)} />
            <span>
              {WORDS[each].label} <span className={css.hint}>{WORDS[each].hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {screen.picked.size > 0 && (
        <ul className={css.picked} aria-label="Ticked resources">
          {[...screen.picked].map((address) => (
            <li key={address}>
              <code>{address}</code>
              <Button small kind="quiet" aria-label={`Leave out ${address}`} onClick={() => screen.pick(address)}>
                Leave out
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={css.typed}>
        <label htmlFor={typed}>
          {screen.picked.size > 0
            ? "More addresses, one a line"
            : "Addresses, one a line; or tick resources in the list"}
        </label>
        <textarea
          id={typed}
          rows={3}
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {problem !== null && addresses.length > 0 && <Notice tone="warn">{problem}</Notice>}
      {replan.error && (
        <Notice tone={changed ? "warn" : "bad"} alert>
          {changed ? <WhoPlanned place={place} deployment={deployment} /> : <ErrorText error={replan.error} />}
        </Notice>
      )}
    </Dialog>
  );
}
