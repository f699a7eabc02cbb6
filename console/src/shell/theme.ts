import { preference, setPreference } from "./preferences.ts";

export const THEMES = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** Before anything is drawn, and when another tab changes it. */
export function applyTheme(): void {
  const theme = preference("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

export function chooseTheme(theme: string): void {
  setPreference("theme", theme);
  applyTheme();
}
