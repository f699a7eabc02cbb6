import { useInfiniteQuery } from "@tanstack/react-query";
import { CircleCheck, Hourglass, Plus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { proofsKey, proofsQuery } from "../../data/signInSources.ts";
import type { OrganizationProof } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty, ErrorText } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./Page.module.css";
import { usePeople } from "./usePeople.ts";

const KINDS = { domain: "domain", codehost_org: "organization of the code host" };

/** Names that are proven to be the organization's, so that its rules admit people rather than invite them. */
export function Proofs() {
  const { org, search, may, show } = usePeople();
  const list = useInfiniteQuery(proofsQuery(org));
  const [leaving, setLeaving] = useState<OrganizationProof | null>(null);
  const path = (proof_id: string) => ({ org_id: org, proof_id });
  const changes = [proofsKey(org)];
  const check = useWrite(
    (proof_id: string, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/proofs/{proof_id}/check", { params: { path: path(proof_id) }, headers }),
      ),
    { changes, onDone: ({ name }) => toast(`${name} is proven`) },
  );
  const remove = useWrite(
    (proof_id: string, headers) =>
      answerOf(api.DELETE("/api/v1/orgs/{org_id}/proofs/{proof_id}", { params: { path: path(proof_id) }, headers })),
    {
      changes,
      onDone: () => {
        setLeaving(null);
        toast("The proof is taken back");
      },
    },
  );
  const mayManage = may("identity_source", "manage");
  const add = (
    <Button small kind="primary" icon={<Plus size={14} aria-hidden />} onClick={() => show("prove")}>
      Prove a name
    </Button>
  );
  return (
    <Panel title="Domains and organizations" more={mayManage && add}>
      <PagedList
        label="Proofs"
        list={list}
        empty={
          <Empty title="Nothing is proven">
            Rules for names that are not proven invite people; rules for proven ones make them members.
          </Empty>
        }
        row={(proof) => (
          <SplitRow
            key={proof.id}
            title={proof.name}
            meta={
              <>
                <span>{KINDS[proof.kind]}</span>
                {proof.proven_at && (
                  <span>
                    proven <Time at={proof.proven_at} /> by {proof.proven_by === "dns" ? "its record" : "the operator"}
                  </span>
                )}
              </>
            }
            end={
              <>
                {proof.proven_at ? (
                  <Badge tone="ok" icon={CircleCheck}>
                    Proven
                  </Badge>
                ) : (
                  <Badge tone="wait" icon={Hourglass}>
                    Waits
                  </Badge>
                )}
                {mayManage && proof.txt_record && proof.proven_at === null && (
                  <Button
                    small
                    busy={check.isPending && check.variables === proof.id}
                    onClick={() => check.mutate(proof.id)}
                    aria-label={`Look now for the record of ${proof.name}`}
                  >
                    Look now
                  </Button>
                )}
                {mayManage && (
                  <Button small onClick={() => setLeaving(proof)} aria-label={`Take back ${proof.name}`}>
                    Take back
                  </Button>
                )}
              </>
            }
          >
            {proof.proven_at === null && <Waits proof={proof} />}
            {check.isError && check.variables === proof.id && <ErrorText error={check.error} />}
          </SplitRow>
        )}
      />
      {search.dialog === "prove" && mayManage && <ProofDialog org={org} onClose={() => show(undefined)} />}
      {leaving && (
        <ConfirmDialog
          title={`Take ${leaving.name} back`}
          action="Take back"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          Rules that name it invite people from then on, instead of making them members.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function Waits({ proof: { txt_record } }: { proof: OrganizationProof }) {
  if (txt_record === null) return <>The operator of this installation approves it.</>;
  return (
    <>
      Set this TXT record, then look for it:
      <span className={css.record}>
        <Line text={txt_record.name} what="record's name" />
        <Line text={txt_record.value} what="record's value" />
      </span>
    </>
  );
}

function Line({ text, what }: { text: string; what: string }) {
  return (
    <span className={css.copied}>
      <code>{text}</code>
      <Copy text={text} what={what} />
    </span>
  );
}

type Body = operations["createProof"]["requestBody"]["content"]["application/json"];

function ProofDialog({ org, onClose }: { org: string; onClose: () => void }) {
  const [kind, setKind] = useState<OrganizationProof["kind"]>("domain");
  const [name, setName] = useState("");
  const create = useWrite(
    (body: Body, headers) =>
      answerOf(api.POST("/api/v1/orgs/{org_id}/proofs", { params: { path: { org_id: org } }, body, headers })),
    { changes: [proofsKey(org)], onDone: onClose },
  );
  return (
    <FormDialog
      title="Prove a name"
      submit="Go on"
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ kind, name: name.trim() })}
      onClose={onClose}
    >
      <Field label="What it is">
        <select value={kind} onChange={(event) => setKind(event.target.value as OrganizationProof["kind"])}>
          <option value="domain">a domain, proven by a TXT record</option>
          <option value="codehost_org">an organization of the code host, approved by the operator</option>
        </select>
      </Field>
      <Field label="Name" error={fieldErrors(create.error).get("name")}>
        <input
          value={name}
          required
          spellCheck={false}
          placeholder={kind === "domain" ? "acme.example" : "acme"}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
