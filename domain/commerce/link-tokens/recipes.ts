import type { AnswerOf, Routes } from '@tributary/contract';
import { linkTokenParameter as param } from '@tributary/vocabulary';

type Recipe = AnswerOf<Routes['createLinkTokens']>['body']['data']['recipes'][number];

const page = 'https://your-site.example/offer';
const tracker = 'The tracker on the page that the link leads to.';

/** Adds the token to a link, after "?" or, if the link already has a query, after "&". */
export const linkWith = (link: string, tag: string): string =>
  `${link}${link.includes('?') ? '&' : '?'}${param}=${tag}`;

function recipe(
  channel: Recipe['channel'],
  link: string,
  tag: string,
  rest: [store: string, requires: string],
): Recipe {
  const [store_token_in, requires] = rest;
  return { channel, store_token_in, link_template: linkWith(link, tag), merge_tag: tag, requires };
}

/** Instructions per channel for putting a token into a message. The merge tags are examples, because their notation differs between tools. */
export const recipes: readonly Recipe[] = [
  recipe('email', `${page}?utm_source=newsletter&utm_medium=email`, `{{contact.${param}}}`, [
    `A text field "${param}" of the contact in your e-mail tool, filled by import or by its API.`,
    `${tracker} Click tracking of the e-mail tool must keep the parameters of the link.`,
  ]),
  recipe('sms', page, `{{${param}}}`, [
    `A custom field "${param}" of the recipient in your SMS tool.`,
    `${tracker} A link shortener must keep the parameters of the link, and make one short link per recipient.`,
  ]),
  recipe('whatsapp', page, '{{1}}', [
    'The variable of the URL button, sent with each message; the approved template itself holds no token.',
    `${tracker} In the template the variable stands at the very end of the button's address.`,
  ]),
  recipe('crm', `${page}?utm_source=crm`, `{{contact.${param}}}`, [
    `A custom property "${param}" of the contact, written when the token is minted and renewed before it expires.`,
    tracker,
  ]),
];
