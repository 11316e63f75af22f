import type { Language } from '@tributary/vocabulary';
import { languageStorageKey } from './language.ts';

/** The state of a page is in its URL, so reloading shows the same page. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(languageStorageKey, next);
  window.location.reload();
}
