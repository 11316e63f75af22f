import { t } from './messages/index.ts';
/** Light, dark or the system's theme: stored in this browser and applied before the first render. */

export const themes = { system: t.themes.system, light: t.themes.light, dark: t.themes.dark } as const;
export type Theme = keyof typeof themes;

const storageKey = 'tributary.theme';
const machine = window.matchMedia('(prefers-color-scheme: dark)');

export function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = readTheme();
  const isDark = theme === 'dark' || (theme === 'system' && machine.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** Notifies components that draw on a canvas, such as charts. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

machine.addEventListener('change', applyTheme);
