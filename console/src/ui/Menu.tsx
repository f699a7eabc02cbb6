/** A menu behind a button. Not modal: that would need style tags, which the page's policy refuses. */
import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { classes } from "./classes.ts";
import css from "./Menu.module.css";

type MenuProps = { trigger: ReactElement; children: ReactNode; label: string; align?: "start" | "end" };

export function Menu({ trigger, children, label, align = "end" }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={css.menu} align={align} sideOffset={4} collisionPadding={8} aria-label={label}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

type ItemProps = { onSelect?: () => void; icon?: ReactNode; children: ReactNode; danger?: boolean };

export function MenuItem({ onSelect, icon, children, danger = false }: ItemProps) {
  return (
    <DropdownMenu.Item className={classes(css.item, danger && css.danger)} onSelect={() => onSelect?.()}>
      <span className={css.sign}>{icon}</span>
      {children}
    </DropdownMenu.Item>
  );
}

/** Around a link, so that it can be opened in a new tab like any other. */
export function MenuLink({ children }: { children: ReactElement }) {
  return (
    <DropdownMenu.Item asChild className={css.item}>
      {children}
    </DropdownMenu.Item>
  );
}

type ChoiceProps = {
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
};

/** One of several, the chosen one ticked. */
export function MenuChoice({ value, options, onChange }: ChoiceProps) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange}>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={css.item}>
          <span className={css.sign}>
            <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
          </span>
          {option.label}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className={css.label}>{children}</DropdownMenu.Label>;
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className={css.separator} />;
}
