import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleUser, Keyboard, KeyRound, LogOut, Shield } from "lucide-react";
import { api } from "../data/api.ts";
import { BASE_PATH } from "../data/base.ts";
import { meQuery } from "../data/me.ts";
import { IconButton } from "../ui/Button.tsx";
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLink, MenuSeparator } from "../ui/Menu.tsx";
import { toast } from "./announce.tsx";
import { openKeySheet } from "./paletteState.ts";
import { usePreference } from "./preferences.ts";
import { chooseTheme, THEMES } from "./theme.ts";
import css from "./UserMenu.module.css";

export function UserMenu() {
  const { data: me } = useQuery(meQuery());
  const theme = usePreference("theme") ?? "system";
  if (!me) return null;
  return (
    <Menu label="You" trigger={<IconButton label={`You: ${me.name}`} icon={<CircleUser size={19} />} />}>
      <MenuLabel>
        Signed in as <strong className={css.name}>{me.name}</strong>
      </MenuLabel>
      <MenuLink>
        <Link to="/me" className={css.link}>
          <KeyRound size={15} aria-hidden />
          Tokens, sessions, identities
        </Link>
      </MenuLink>
      {me.is_super_admin && (
        <MenuLink>
          <Link to="/admin" className={css.link}>
            <Shield size={15} aria-hidden />
            Administration
          </Link>
        </MenuLink>
      )}
      <MenuItem icon={<Keyboard size={15} aria-hidden />} onSelect={openKeySheet}>
        Keys
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      <MenuChoice value={theme} options={THEMES} onChange={chooseTheme} />
      <MenuSeparator />
      <MenuItem icon={<LogOut size={15} aria-hidden />} onSelect={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

async function signOut(): Promise<void> {
  try {
    await api.POST("/api/v1/auth/logout");
    // By loading it anew: nothing of what this person saw stays in memory.
    location.assign(`${BASE_PATH}/sign-in`);
  } catch (error) {
    toast(`You are still signed in: ${(error as Error).message}`, "bad");
  }
}
