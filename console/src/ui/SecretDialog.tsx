/** A secret that the service has given this once. Not closed by a slip: only by the button that says it was taken. */
import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import { Copy } from "./Copy.tsx";
import { Dialog } from "./Dialog.tsx";
import { Notice } from "./Notice.tsx";
import css from "./SecretDialog.module.css";

type Props = {
  title: string;
  what: string;
  secret: string;
  /** Where it is better kept as a file. */
  fileName?: string;
  onClose: () => void;
  children?: ReactNode;
};

export function SecretDialog({ title, what, secret, fileName, onClose, children }: Props) {
  const close = (
    <Button kind="primary" onClick={onClose}>
      I have stored it
    </Button>
  );
  return (
    <Dialog title={title} onClose={null} wide actions={close}>
      <Notice tone="warn">
        This is shown once. Whoever has it can use it; it cannot be read again, only replaced.
      </Notice>
      <div className={css.secret}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
        <section className={css.value} tabIndex={0} aria-label={what}>
          <pre className={css.text}>{secret}</pre>
        </section>
        <span className={css.actions}>
          <Copy text={secret} what={what} />
          {fileName && (
            <Button small icon={<Download size={14} aria-hidden />} onClick={() => download(secret, fileName)}>
              Download
            </Button>
          )}
        </span>
      </div>
      {children}
    </Dialog>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
