/** A session that ended in the middle of something. Signing in again is done in another window; this page stays. */
import { useEffect, useSyncExternalStore } from "react";
import { session } from "../data/session.ts";
import { signInAddress, type Way } from "../data/signIn.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { SignInWays } from "./SignInWays.tsx";

export function SessionDialog() {
  const state = useSyncExternalStore(session.subscribe, session.snapshot);
  const ended = state.kind === "ended";
  useEffect(() => {
    if (!ended) return;
    const look = () => void session.look().catch(() => {});
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [ended]);
  if (!ended) return null;
  const open = (way: Way) => window.open(signInAddress(way, "/sign-in/done"), "_blank", "popup,width=520,height=680");
  const actions = <Button onClick={() => void session.look()}>I have signed in</Button>;
  return (
    <Dialog title="Your session has ended" onClose={null} actions={actions}>
      <p>
        Sign in again as <strong>{state.me.name}</strong>, in a window of its own. What you have typed here stays, and
        what you have sent goes on.
      </p>
      <SignInWays onChoose={open} />
    </Dialog>
  );
}
