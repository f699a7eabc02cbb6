import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../data/api.ts";
import { tokensKey, tokensQuery } from "../../data/me.ts";
import { orgsQuery } from "../../data/orgs.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { NewToken } from "./NewToken.tsx";
import css from "./rows.module.css";

/** For programs that act as this person, each in one organization. */
export function Tokens() {
  const list = useInfiniteQuery(tokensQuery());
  const { data: orgs = [] } = useQuery(orgsQuery());
  const [making, setMaking] = useState(false);
  const remove = useWrite(
    (token_id: string, headers) =>
      api.DELETE("/api/v1/me/tokens/{token_id}", { params: { path: { token_id } }, headers }),
    { changes: [tokensKey], onDone: () => toast("The token is gone; what uses it is refused from now on") },
  );
  const orgName = (id: string) => orgs.find((org) => org.id === id)?.name ?? id;
  const more = (
    <Button small kind="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setMaking(true)}>
      New token
    </Button>
  );
  return (
    <Panel title="Personal tokens" more={more}>
      <PagedList
        label="Tokens"
        list={list}
        empty={<Empty title="No token">A program signs in as you with one.</Empty>}
        row={({ id, name, org_id, created_at, expires_at }) => (
          <li key={id} className={`${rows.row} ${css.row}`}>
            <span>
              <strong>{name}</strong>
              <span className={rows.meta}>
                <span>{orgName(org_id)}</span>
                <span>
                  made <Time at={created_at} />
                </span>
                <span>
                  ends <Time at={expires_at} />
                </span>
              </span>
            </span>
            <Button
              small
              busy={remove.isPending && remove.variables === id}
              aria-label={`Delete ${name}`}
              onClick={() => remove.mutate(id)}
            >
              Delete
            </Button>
          </li>
        )}
      />
      <FormError error={remove.error} />
      {making && <NewToken onClose={() => setMaking(false)} />}
    </Panel>
  );
}
