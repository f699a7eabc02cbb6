import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { approvalRulesKey, approvalRulesQuery } from "../../data/approvals.ts";
import { useMay } from "../../data/permissions.ts";
import type { ApprovalRule } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Table } from "../../ui/Table.tsx";
import { ApprovalRuleDialog } from "./ApprovalRuleDialog.tsx";
import css from "./Page.module.css";

type Props = { org: string; dialog: string | undefined; onDialog: (name: string | undefined) => void };

/** Which plans need whose approval. */
export function ApprovalRules({ org, dialog, onDialog }: Props) {
  const may = useMay(org);
  const list = useInfiniteQuery(approvalRulesQuery(org));
  const [what, id] = dialog?.split(":") ?? [];
  const chosen = list.data?.find((rule) => rule.id === id) ?? null;
  const close = () => onDialog(undefined);
  const add = (
    <Button small icon={<Plus size={14} aria-hidden />} onClick={() => onDialog("rule-new")}>
      New rule
    </Button>
  );
  return (
    <Panel title="Approval rules" more={may("approval_rule", "create") && add}>
      {list.isPending && <Loading lines={2} />}
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <Empty title="No rule">Whoever may confirm a plan applies it, and nobody else has to look at it.</Empty>
      )}
      {list.data !== undefined && list.data.length > 0 && (
        <Table
          label="Approval rules"
          rows={list.data}
          rowKey={(rule) => rule.id}
          columns={[
            { head: "Rule", cell: ({ name }) => name },
            {
              head: "Stacks",
              cell: ({ selector }) => (Object.keys(selector).length === 0 ? "all" : <Labels labels={selector} />),
            },
            { head: "Plans", cell: plansOf },
            { head: "Approvals", cell: ({ count }) => count },
            {
              head: "",
              cell: (rule) => (
                <Actions>
                  {may("approval_rule", "update") && (
                    <Button small aria-label={`Change ${rule.name}`} onClick={() => onDialog(`rule-edit:${rule.id}`)}>
                      Change
                    </Button>
                  )}
                  {may("approval_rule", "delete") && (
                    <Button small aria-label={`Delete ${rule.name}`} onClick={() => onDialog(`rule-delete:${rule.id}`)}>
                      Delete
                    </Button>
                  )}
                </Actions>
              ),
            },
          ]}
        />
      )}
      <p className={css.note}>A plan that a rule fits waits for these approvals, whoever may confirm it.</p>
      {what === "rule-new" && may("approval_rule", "create") && (
        <ApprovalRuleDialog org={org} rule={null} onClose={close} />
      )}
      {what === "rule-edit" && chosen !== null && <ApprovalRuleDialog org={org} rule={chosen} onClose={close} />}
      {what === "rule-delete" && chosen !== null && <DeleteDialog org={org} rule={chosen} onClose={close} />}
    </Panel>
  );
}

function plansOf({ modes, destructive, previews }: ApprovalRule): string {
  const plans = modes.length === 3 ? "all" : modes.join(", ");
  return [plans, previews && "previews", destructive && "only what destroys"].filter(Boolean).join("; ");
}

function DeleteDialog({ org, rule, onClose }: { org: string; rule: ApprovalRule; onClose: () => void }) {
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/approval-rules/{approval_rule_id}", {
          params: { path: { org_id: org, approval_rule_id: rule.id } },
          headers,
        }),
      ),
    {
      changes: [approvalRulesKey(org)],
      onDone: () => {
        toast(`${rule.name} is deleted`);
        onClose();
      },
    },
  );
  return (
    <ConfirmDialog
      title={`Delete ${rule.name}`}
      action="Delete the rule"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      What waits for its approvals alone waits for a confirmation from now on.
    </ConfirmDialog>
  );
}
