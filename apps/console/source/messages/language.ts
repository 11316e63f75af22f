import { type Language, languages } from '@tributary/vocabulary';

/** The language of the interface: the stored choice, otherwise the first supported language of the browser. */

/** The local storage key of the choice. */
export const languageStorageKey = 'tributary.language';

/** Tests use the texts without a browser. */
const stored = typeof localStorage === 'undefined' ? null : localStorage.getItem(languageStorageKey);
const wanted: readonly string[] = typeof navigator === 'undefined' ? [] : (navigator.languages ?? [navigator.language]);

const languageOf = (tag: string): Language | undefined =>
  languages.find((known) => tag.toLowerCase().split('-')[0] === known);

export const language: Language =
  languages.find((known) => known === stored) ?? wanted.flatMap((tag) => languageOf(tag) ?? []).at(0) ?? 'en';

/** The locale of numbers and dates: the browser's, if it has the same language. */
export const locale: string = wanted.find((tag) => languageOf(tag) === language) ?? language;

/** Each language by its own name, so that its speakers find it. */
export const languageTitles: Readonly<Record<Language, string>> = { en: 'English', es: 'Español' };
