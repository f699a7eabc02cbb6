import type { NotificationIntegration } from "../../data/types.ts";
import { Field } from "../../ui/Field.tsx";
import type { TargetDraft } from "./target.ts";

type Props = {
  draft: TargetDraft;
  onChange: (change: Partial<TargetDraft>) => void;
  /** Null for a new integration. */
  stored: NotificationIntegration["auth_config_summary"] | null;
  error: string | undefined;
};

/** The address with its secret and headers. None of them is ever shown again. */
export function TargetFields({ draft, onChange, stored, error }: Props) {
  const isNew = stored === null;
  return (
    <>
      <Field
        label={isNew ? "Address" : "Another address"}
        hint={isNew ? "Can be written and never read." : "One is stored. Left empty all of it stays."}
        error={error}
      >
        <input
          type="url"
          value={draft.url}
          required={isNew}
          autoComplete="off"
          spellCheck={false}
          placeholder="https://"
          onChange={(event) => onChange({ url: event.target.value })}
        />
      </Field>
      {(isNew || draft.url !== "") && (
        <>
          <Field
            label="Secret"
            hint={
              stored?.has_secret
                ? "One is stored. It stays at the same host."
                : "Signs each body. Can be written and never read."
            }
          >
            <input
              type="password"
              value={draft.secret}
              autoComplete="new-password"
              maxLength={500}
              onChange={(event) => onChange({ secret: event.target.value })}
            />
          </Field>
          <Field label="Own headers" hint="One Name: value on a line. Can be written and never read.">
            <textarea
              value={draft.headers}
              rows={2}
              spellCheck={false}
              onChange={(event) => onChange({ headers: event.target.value })}
            />
          </Field>
        </>
      )}
    </>
  );
}
