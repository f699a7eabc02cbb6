import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { assignmentsQuery, peopleKey, rolesQuery } from "../../data/people.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormError } from "../../ui/FormError.tsx";
import rows from "../../ui/rows.module.css";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./Page.module.css";

type Props = {
  org: string;
  holder: { user_id: string } | { service_account_id: string };
  mayAssign: boolean;
};

/** The roles that somebody has directly, each given and taken by itself. */
export function Assignments({ org, holder, mayAssign }: Props) {
  const list = useQuery(assignmentsQuery(org, holder));
  const roles = useQuery(rolesQuery(org));
  const [role, setRole] = useState("");
  const changes = [peopleKey(org)];
  const give = useWrite(
    (role_id: string, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/role-assignments", {
          params: { path: { org_id: org } },
          body: { role_id, ...holder },
          headers,
        }),
      ),
    {
      changes,
      onDone: ({ role: { name } }) => {
        setRole("");
        toast(`Has the role ${name} now`);
      },
    },
  );
  const take = useWrite(
    (assignment_id: string, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/role-assignments/{assignment_id}", {
          params: { path: { org_id: org, assignment_id } },
          headers,
        }),
      ),
    { changes, onDone: () => toast("The role is taken away") },
  );
  if (list.isError) return <Failed error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Loading lines={2} what="Loading the roles" />;
  const held = new Set(list.data.map((each) => each.role.id));
  const error = give.error ?? take.error;
  return (
    <>
      <FormError error={error} />
      {list.data.length === 0 && <Empty title="No role of its own">What sign-in confers is not listed here.</Empty>}
      <ul className={rows.rows} aria-label="Roles">
        {list.data.map(({ id, role: { name, is_system }, created_at }) => (
          <SplitRow
            key={id}
            title={name}
            meta={
              <>
                <span>{is_system ? "system role" : "own role"}</span>
                <span>
                  given <Time at={created_at} />
                </span>
              </>
            }
            end={
              mayAssign && (
                <Button
                  small
                  busy={take.isPending && take.variables === id}
                  onClick={() => take.mutate(id)}
                  aria-label={`Take away ${name}`}
                >
                  Take away
                </Button>
              )
            }
          />
        ))}
      </ul>
      {mayAssign && (
        <div className={css.assign}>
          <Field label="Another role">
            <select value={role} onChange={(event) => setRole(event.target.value)}>
              <option value="">Choose…</option>
              {roles.data
                ?.filter(({ id }) => !held.has(id))
                .map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
            </select>
          </Field>
          <Button
            icon={<Plus size={15} aria-hidden />}
            busy={give.isPending}
            disabled={role === ""}
            onClick={() => give.mutate(role)}
          >
            Give
          </Button>
        </div>
      )}
    </>
  );
}
