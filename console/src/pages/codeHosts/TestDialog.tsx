import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { codeHostsKey } from "../../data/codeHosts.ts";
import type { ScmIntegration } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Notice } from "../../ui/Notice.tsx";
import { WebhookWords } from "./IntegrationFacts.tsx";

type Props = { org: string; integration: ScmIntegration; onClose: () => void };

/** Asks the host for a repository now. */
export function TestDialog({ org, integration, onClose }: Props) {
  const [repository, setRepository] = useState("");
  const test = useWrite(
    (body: { repository_url?: string }, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/test", {
          params: { path: { org_id: org, integration_id: integration.id } },
          body,
          headers,
        }),
      ),
    { changes: [codeHostsKey(org)] },
  );
  const said = test.data;
  return (
    <FormDialog
      title={`Test ${integration.name}`}
      submit="Ask the host"
      busy={test.isPending}
      error={test.error}
      onSubmit={() => test.mutate(repository.trim() === "" ? {} : { repository_url: repository.trim() })}
      onClose={onClose}
    >
      {said && (
        <Notice tone={said.ok ? "info" : "bad"} alert>
          {said.ok ? `${said.repository} can be read.` : `${said.repository}: ${said.reason}`}
          {said.webhook && (
            <>
              {" "}
              Its webhook: <WebhookWords check={said.webhook} />.
            </>
          )}
        </Notice>
      )}
      <Field
        label="Repository"
        hint="One that it serves. Empty: one of a stack."
        error={fieldErrors(test.error).get("repository_url")}
      >
        <input
          value={repository}
          spellCheck={false}
          placeholder="https://"
          onChange={(event) => setRepository(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
