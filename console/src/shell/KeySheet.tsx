import { Dialog } from "../ui/Dialog.tsx";
import { Check } from "../ui/Field.tsx";
import { Kbd } from "../ui/Kbd.tsx";
import { type Command, useAllCommands } from "./commands.ts";
import css from "./KeySheet.module.css";
import { setPreference, usePreference } from "./preferences.ts";

const FIXED = [
  { label: "Open the palette", keys: navigator.platform.startsWith("Mac") ? "⌘ K" : "Ctrl K" },
  { label: "Next row", keys: "j" },
  { label: "Row before", keys: "k" },
];

/** Every key that does something here and now. */
export function KeySheet({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands().flat();
  const off = usePreference("keys") === "off";
  const groups = Map.groupBy(
    commands.filter(({ keys }) => keys !== undefined),
    ({ group }) => group,
  );
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <Check
        label="Keys without Ctrl or ⌘ do something"
        checked={!off}
        onChange={(on) => setPreference("keys", on ? "on" : "off")}
      />
      <div className={css.groups}>
        {[...groups].map(([group, list]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl className={css.keys}>
              {[...list, ...(group === "Everywhere" ? FIXED : [])].map(
                ({ label, keys = "" }: Pick<Command, "label" | "keys">) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      <Kbd keys={keys} />
                    </dd>
                  </div>
                ),
              )}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
