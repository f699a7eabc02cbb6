import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorText } from "../../ui/states.tsx";

type Props<V> = {
  title: string;
  yes: string;
  kind?: "primary" | "danger";
  // biome-ignore lint/suspicious/noExplicitAny: what it answers is somebody else's to look at
  write: UseMutationResult<any, Error, V>;
  input: V;
  onClose: () => void;
  children: ReactNode;
};

/** One question with one answer that goes on. */
export function AskDialog<V>({ title, yes, kind = "primary", write, input, onClose, children }: Props<V>) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button kind={kind} busy={write.isPending} onClick={() => write.mutate(input)} data-yes>
            {yes}
          </Button>
        </>
      }
    >
      {children}
      {write.error && (
        <Notice tone="bad" alert>
          <ErrorText error={write.error} />
        </Notice>
      )}
    </Dialog>
  );
}
