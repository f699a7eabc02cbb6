import { useInfiniteQuery } from "@tanstack/react-query";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { sessionsKey, sessionsQuery } from "../../data/me.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./rows.module.css";

/** Where the person is signed in. */
export function Sessions() {
  const list = useInfiniteQuery(sessionsQuery());
  const end = useWrite(
    (session_id: string, headers) =>
      answerOf(api.DELETE("/api/v1/me/sessions/{session_id}", { params: { path: { session_id } }, headers })),
    { changes: [sessionsKey], onDone: () => toast("Signed out there") },
  );
  return (
    <Panel title="Sessions">
      <PagedList
        label="Sessions"
        list={list}
        empty={<Empty title="No session" />}
        row={({ id, this_session, created_at, expires_at }) => (
          <li key={id} className={`${rows.row} ${css.row}`}>
            <span>
              {this_session ? "This browser" : "Another browser"}
              <span className={rows.meta}>
                <span>
                  since <Time at={created_at} />
                </span>
                <span>
                  ends <Time at={expires_at} />
                </span>
              </span>
            </span>
            {!this_session && (
              <Button small busy={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
                Sign out there
              </Button>
            )}
          </li>
        )}
      />
    </Panel>
  );
}
