export type Theme = "system" | "light" | "dark";

/** What the button says in each. */
export const THEMES: Record<Theme, string> = { system: "◐ system", light: "○ light", dark: "● dark" };

const KEY = "stackgazer.theme";

export function nextTheme(theme: Theme): Theme {
  return theme === "system" ? "light" : theme === "light" ? "dark" : "system";
}

/** What was chosen last time; pages from disk may not be allowed to remember anything. */
export function rememberedTheme(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds until the page is closed.
  }
}
