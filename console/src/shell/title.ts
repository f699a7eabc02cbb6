import { useEffect } from "react";
import { announce } from "./announce.tsx";

const PRODUCT = "Deployments";

/** The window's name: most particular first, since tabs show only the beginning. Told to screen readers too. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, PRODUCT].join(" · ");
  useEffect(() => {
    if (document.title === title) return;
    document.title = title;
    announce(title);
  }, [title]);
}
