import type { Language } from '@tributary/vocabulary';
import { languagePlace } from './language.ts';

/** What is seen stands in the address, so the page that is loaded again is the same one. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(languagePlace, next);
  window.location.reload();
}
