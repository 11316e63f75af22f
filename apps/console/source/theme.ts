import { say } from './words/index.ts';
/** Light, dark, or as the machine has it: kept in this browser, and set on the page before anything is drawn. */

export const themes = { system: say.themes.system, light: say.themes.light, dark: say.themes.dark } as const;
export type Theme = keyof typeof themes;

const place = 'tributary.theme';
const machine = window.matchMedia('(prefers-color-scheme: dark)');

export function readTheme(): Theme {
  const kept = localStorage.getItem(place);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(place, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = readTheme();
  const isDark = theme === 'dark' || (theme === 'system' && machine.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** Tells what draws by itself, like charts. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

machine.addEventListener('change', applyTheme);
