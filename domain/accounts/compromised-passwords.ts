import { dictionary } from '@zxcvbn-ts/language-common';

/** About 49,000 of the most used passwords of published leaks, most used first. Nothing is asked over the network. */
const leaked: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** Product names, which attackers try first. */
const productNames: ReadonlySet<string> = new Set(['tributary', 'tributaryapp', 'tributaryadmin', 'attribution']);

/** "Password2026!" is what every guesser makes of "password", so capitals and what was put at the end do not count. */
export function isCompromised(password: string): boolean {
  const folded = password.toLowerCase();
  const word = folded.replace(/[^\p{L}]+$/u, '');
  return leaked.has(folded) || leaked.has(word) || productNames.has(word.replaceAll(/[^\p{L}]/gu, ''));
}
