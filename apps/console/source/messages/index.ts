import type { Language } from '@tributary/vocabulary';
import type { Words } from './en/index.ts';
import { language } from './language.ts';

/** Only the dictionary of the selected language is loaded, before the first render, so that modules can use its texts synchronously. */
const dictionaries: Readonly<Record<Language, () => Promise<{ readonly words: Words }>>> = {
  en: () => import('./en/index.ts'),
  es: () => import('./es/index.ts'),
};

/** The texts of the interface. A dictionary with a missing or an additional text does not compile. */
export const t: Words = (await dictionaries[language]()).words;
