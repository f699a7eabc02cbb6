import { Check, Copy as CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./Button.tsx";

const SAID_MS = 1_500;

/** Copies a text, and says for a moment that it has. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      label={copied ? "Copied" : `Copy ${what}`}
      icon={copied ? <Check size={15} /> : <CopyIcon size={15} />}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
    />
  );
}
