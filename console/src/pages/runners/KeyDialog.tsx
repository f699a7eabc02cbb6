import type { KeyedRunnerGroup } from "../../data/types.ts";
import { SecretDialog } from "../../ui/SecretDialog.tsx";
import css from "./Page.module.css";

/** The private key of a group, and what a coordinator does with it. */
export function KeyDialog({
  keyed: { group, private_key },
  onClose,
}: {
  keyed: KeyedRunnerGroup;
  onClose: () => void;
}) {
  return (
    <SecretDialog
      title={`Key of ${group.name}`}
      what="private key"
      secret={private_key}
      fileName={`${group.name.replace(/[^\w.-]+/g, "-")}.pem`}
      onClose={onClose}
    >
      <div className={css.steps}>
        <p>A coordinator with this key takes the group's runs. Its environment:</p>
        <pre className={css.code}>{`RUNNER_GROUP_ID=${group.id}\nRUNNER_KEY_FILE=/path/to/the/key.pem`}</pre>
      </div>
    </SecretDialog>
  );
}
