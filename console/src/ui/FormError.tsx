import { Notice } from "./Notice.tsx";
import { ErrorText } from "./states.tsx";

/** Why something was not done, where it was pressed. */
export function FormError({ error }: { error: Error | null }) {
  if (error === null) return null;
  return (
    <Notice tone="bad" alert>
      <ErrorText error={error} />
    </Notice>
  );
}
