import { useInfiniteQuery } from "@tanstack/react-query";
import { installationAuditQuery } from "../../data/audit.ts";
import { AuditRow } from "../../ui/AuditRow.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty } from "../../ui/states.tsx";

/** What was changed that belongs to no organization: people, sign-ins, super-admins. */
export function InstallationAudit() {
  const list = useInfiniteQuery(installationAuditQuery());
  return (
    <Panel title="Newest first">
      <PagedList
        label="Entries"
        list={list}
        row={(entry) => <AuditRow key={entry.id} entry={entry} />}
        empty={<Empty title="Nobody changed anything yet" />}
      />
    </Panel>
  );
}
