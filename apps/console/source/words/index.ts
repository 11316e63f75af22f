import type { Language } from '@tributary/vocabulary';
import type { Words } from './en/index.ts';
import { language } from './language.ts';

/** Loaded before anything is drawn, and only the one that is read: every text of the interface is there when a module asks for it. */
const dictionaries: Readonly<Record<Language, () => Promise<{ readonly words: Words }>>> = {
  en: () => import('./en/index.ts'),
  es: () => import('./es/index.ts'),
};

/** What people read. A dictionary that lacks a text, or has one that is not asked for, does not compile. */
export const say: Words = (await dictionaries[language]()).words;
