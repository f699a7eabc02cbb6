import { useEffect, useState } from "react";
import css from "./FilterBar.module.css";

const PAUSE_MS = 200;

/** A search that follows the typing, after a short pause of it. */
export function SearchBox({
  label,
  value = "",
  onChange,
}: {
  label: string;
  value?: string | undefined;
  onChange: (text: string | undefined) => void;
}) {
  const [text, setText] = useState(value);
  const [told, setTold] = useState(value);
  // Another address, such as the one before.
  if (value !== told) {
    setTold(value);
    setText(value);
  }
  useEffect(() => {
    if (text.trim() === told) return;
    const timer = setTimeout(() => {
      setTold(text.trim());
      onChange(text.trim() || undefined);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, told, onChange]);
  return (
    <input
      type="search"
      className={css.control}
      aria-label={label}
      placeholder={label}
      value={text}
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
