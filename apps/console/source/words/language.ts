import { type Language, languages } from '@tributary/vocabulary';

/** The language of the interface: what was chosen here before, else the first of the browser's that is one of ours. */

/** Where a choice is kept in this browser. */
export const languagePlace = 'tributary.language';

/** Tests read texts where there is no browser. */
const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(languagePlace);
const wanted: readonly string[] = typeof navigator === 'undefined' ? [] : (navigator.languages ?? [navigator.language]);

const languageOf = (tag: string): Language | undefined =>
  languages.find((known) => tag.toLowerCase().split('-')[0] === known);

export const language: Language =
  languages.find((known) => known === kept) ?? wanted.flatMap((tag) => languageOf(tag) ?? []).at(0) ?? 'en';

/** For numbers and days: as the browser's country writes them, where it speaks the language. */
export const locale: string = wanted.find((tag) => languageOf(tag) === language) ?? language;

/** Each in its own words, so that whoever cannot read the others finds it. */
export const languageTitles: Readonly<Record<Language, string>> = { en: 'English', es: 'Español' };
