import { dictionary } from '@zxcvbn-ts/language-common';

/** The 49,000 most common leaked passwords, most common first. Checked locally, without network requests. */
const leaked: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** Product names, which attackers try first. */
const productNames: ReadonlySet<string> = new Set(['tributary', 'tributaryapp', 'tributaryadmin', 'attribution']);

/** Ignores case and trailing digits and symbols, because attackers try such variants ("Password2026!") first. */
export function isCompromised(password: string): boolean {
  const folded = password.toLowerCase();
  const word = folded.replace(/[^\p{L}]+$/u, '');
  return leaked.has(folded) || leaked.has(word) || productNames.has(word.replaceAll(/[^\p{L}]/gu, ''));
}
