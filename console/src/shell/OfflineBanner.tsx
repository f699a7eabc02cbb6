import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import css from "./OfflineBanner.module.css";

export function OfflineBanner() {
  const online = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  if (online) return null;
  return (
    <p className={css.banner} role="alert">
      You are offline. What is shown may be old; changes are sent when the network is back.
    </p>
  );
}
