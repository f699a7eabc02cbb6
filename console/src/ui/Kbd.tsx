import css from "./Kbd.module.css";

/** Keys as they are pressed one after the other: `g d`. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className={css.keys}>
      {keys.split(" ").map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
