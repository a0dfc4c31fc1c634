import { readChoice, storeChoice } from '../shared/navigation/stored-choice.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function storedTheme(): Theme {
  const stored = readChoice('theme');
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** `tokens.css` reads the attribute. Without it, the page follows the system. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  storeChoice('theme', theme);
}
