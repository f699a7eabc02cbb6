import { useInfiniteQuery } from "@tanstack/react-query";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import { offersKey, offersQuery } from "../../data/me.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Time } from "../../ui/Time.tsx";
import css from "./rows.module.css";

/** Organizations that would have this person; nothing where there are none. */
export function Offers() {
  const { data = [] } = useInfiniteQuery(offersQuery());
  const changes = [offersKey, keys.orgs];
  const accept = useWrite(
    (offer_id: string, headers) =>
      answerOf(api.POST("/api/v1/me/membership-offers/{offer_id}/accept", { params: { path: { offer_id } }, headers })),
    { changes, onDone: () => toast("You are a member now") },
  );
  const decline = useWrite(
    (offer_id: string, headers) =>
      api.DELETE("/api/v1/me/membership-offers/{offer_id}", { params: { path: { offer_id } }, headers }),
    { changes, onDone: () => toast("Declined") },
  );
  if (data.length === 0) return null;
  return (
    <Panel title="You are invited" count={data.length}>
      <ul className={rows.rows}>
        {data.map(({ id, org, expires_at }) => (
          <li key={id} className={`${rows.row} ${css.row}`}>
            <span>
              <strong>{org.name}</strong>
              <span className={rows.meta}>
                ends <Time at={expires_at} />
              </span>
            </span>
            <span className={css.buttons}>
              <Button small busy={decline.isPending && decline.variables === id} onClick={() => decline.mutate(id)}>
                Decline
              </Button>
              <Button
                small
                kind="primary"
                busy={accept.isPending && accept.variables === id}
                onClick={() => accept.mutate(id)}
              >
                Join
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <FormError error={accept.error ?? decline.error} />
    </Panel>
  );
}
