import { Dices } from "lucide-react";
import { useState } from "react";
import type { ScmIntegration } from "../../data/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { Field } from "../../ui/Field.tsx";
import type { Draft, Kind } from "./draft.ts";
import { KINDS } from "./kinds.ts";
import css from "./Page.module.css";

type Props = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** Null for a new integration. */
  stored: ScmIntegration["auth_config_summary"] | null;
  error: string | undefined;
};

const hintOf = (isStored: boolean | undefined) =>
  isStored ? "One is stored. Left empty it stays." : "Can be written and never read.";

/** How the service proves itself to the host, and the host to the service. */
export function CredentialFields({ draft, onChange, stored, error }: Props) {
  const [isMade, setMade] = useState(false);
  const make = () => {
    onChange({ webhook_secret: newSecret() });
    setMade(true);
  };
  return (
    <>
      <Field label="Credentials" error={error}>
        <select value={draft.kind} onChange={(event) => onChange({ kind: event.target.value as Kind })}>
          {draft.host_kind === "github" && <option value="app">an app of the host</option>}
          <option value="token">a token</option>
          <option value="none">none: public repositories only</option>
        </select>
      </Field>
      {draft.kind === "app" && (
        <>
          <Field label="Id of the app">
            <input
              value={draft.app_id}
              required
              inputMode="numeric"
              onChange={(e) => onChange({ app_id: e.target.value })}
            />
          </Field>
          <Field label="Id of the installation">
            <input
              value={draft.installation_id}
              required
              inputMode="numeric"
              onChange={(e) => onChange({ installation_id: e.target.value })}
            />
          </Field>
          <Field label="Private key" hint={hintOf(stored?.has_private_key)}>
            <textarea
              value={draft.private_key}
              rows={3}
              spellCheck={false}
              autoComplete="off"
              placeholder="-----BEGIN"
              onChange={(e) => onChange({ private_key: e.target.value })}
            />
          </Field>
        </>
      )}
      {draft.kind === "token" && (
        <Field label="Token" hint={`${KINDS[draft.host_kind].token} ${hintOf(stored?.has_token)}`}>
          <input
            type="password"
            value={draft.token}
            autoComplete="new-password"
            onChange={(e) => onChange({ token: e.target.value })}
          />
        </Field>
      )}
      <Field label="Webhook secret" hint={`${hintOf(stored?.has_webhook_secret)} ${KINDS[draft.host_kind].secret}`}>
        <input
          type={isMade ? "text" : "password"}
          value={draft.webhook_secret}
          minLength={16}
          autoComplete="new-password"
          spellCheck={false}
          onChange={(e) => onChange({ webhook_secret: e.target.value })}
        />
      </Field>
      <span className={css.copied}>
        <Button small icon={<Dices size={14} aria-hidden />} onClick={make}>
          Make a secret
        </Button>
        {isMade && <Copy text={draft.webhook_secret} what="webhook secret" />}
      </span>
    </>
  );
}

/** 32 characters of chance. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
