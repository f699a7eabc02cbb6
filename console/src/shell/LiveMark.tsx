import type { LiveState } from "../data/liveStream.ts";
import { useLive } from "../data/useLive.ts";
import css from "./LiveMark.module.css";

const WORDS: Readonly<Record<LiveState, { word: string; tip: string }>> = {
  connecting: { word: "Connecting", tip: "What is shown becomes live in a moment" },
  live: { word: "Live", tip: "What is shown follows what happens" },
  away: { word: "Not live", tip: "The connection broke off; it is tried again by itself" },
};

export function LiveMark({ org }: { org: string }) {
  const state = useLive(org);
  const { word, tip } = WORDS[state];
  return (
    <span className={css.live} data-state={state} title={tip}>
      {word}
    </span>
  );
}
