import { dictionary } from '@zxcvbn-ts/language-common';

/** About 49,000 of the most used passwords of published leaks, most used first. Nothing is asked over the network. */
const leaked: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** What somebody guesses who knows what is signed in to. */
const ofTheProduct: ReadonlySet<string> = new Set(['tributary', 'tributaryapp', 'tributaryadmin', 'attribution']);

/** "Password2026!" is what every guesser makes of "password", so capitals and what was put at the end do not count. */
export function isCompromised(password: string): boolean {
  const folded = password.toLowerCase();
  const word = folded.replace(/[^\p{L}]+$/u, '');
  return leaked.has(folded) || leaked.has(word) || ofTheProduct.has(word.replaceAll(/[^\p{L}]/gu, ''));
}
