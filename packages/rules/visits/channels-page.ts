import { clickIdKindNames, entityLevels, marketingChannels } from '@tributary/vocabulary';
import { clickIds, idParameters, media, utmParameters } from './campaign-tags.ts';
import { sites } from './channel-table.ts';
import { loginHosts, paymentHosts, type RedirectHost } from './redirect-hosts.ts';
import { siteKinds } from './sites/site.ts';

/** Generates docs/channels.md. */
export function channelsPage(): string {
  const parts = [
    '# Channels',
    '',
    'Generated from packages/rules/visits (channel-table.ts, campaign-tags.ts, redirect-hosts.ts) by `npm run check -- --write`; do',
    'not edit by hand.',
    '',
    'A visit is classified by its page URL and its referrer only. Earlier and later visits have no influence. The first of these',
    'that applies decides:',
    '',
    '1. A click id that only ads have. The tags may still name the kind of ad.',
    '2. `utm_medium`, together with `utm_source` if the medium only means paid or organic.',
    '3. `utm_source`, or a click id that organic links may also have. With ids that only ads have, the visit is from an ad.',
    '4. Tags that no list below contains: `unknown`.',
    '5. The referrer, if it is another site. An unlisted one is a `referral`.',
    '6. Otherwise the visit is `direct`.',
    '',
    'Upper and lower case are equal, and so are `paid_social`, `paid-social` and `Paid Social`. A macro that the platform',
    'did not fill in, like `{{ad.id}}` or `__CID__`, counts as absent.',
    '',
    ...table(
      'Channels',
      ['channel', 'medium', 'what it is'],
      Object.entries(marketingChannels).map(([name, { medium, meaning }]) => [code(name), code(medium), meaning]),
    ),
    ...table(
      'utm_medium',
      ['words', 'channel'],
      media.map(({ words, means, otherwise }) => [
        codes(words),
        otherwise ? `the source's ${means} channel; without a known source ${code(otherwise)}` : code(means),
      ]),
    ),
    ...table(
      'Click ids',
      ['parameter', 'source', 'only on ads', 'stored, encrypted'],
      clickIds.map(({ parameter, site, isAd }) => [
        code(parameter),
        site ? code(site) : '',
        isAd ? 'yes' : 'no',
        clickIdKindNames.some((kind) => kind === parameter) ? 'yes' : 'no',
      ]),
    ),
    '## Ids of campaigns, ad sets and ads',
    '',
    `Campaign parameters are ${codes(utmParameters)} and those below. An id is a number of 4 to 20 digits, in a tag for free`,
    'text of at least 8. For each level the first parameter with an id counts.',
    '',
    ...rows(
      ['level', 'parameters', 'free text'],
      entityLevels.map((level) => {
        const named = idParameters.filter((tag) => tag.level === level);
        return [
          code(level),
          codes(named.filter(({ isFreeText }) => !isFreeText).map(({ parameter }) => parameter)),
          codes(named.filter(({ isFreeText }) => isFreeText).map(({ parameter }) => parameter)),
        ];
      }),
    ),
    '## Sites',
    '',
    'A host includes its subdomains, unless a longer one has a line of its own. `google.*` is its domain in every',
    'country. The words are values of `utm_source` besides the name and the hosts.',
    '',
  ];
  for (const [kind, { organic, paid }] of Object.entries(siteKinds)) {
    const ofKind = sites.filter((site) => site.kind === kind);
    parts.push(
      `### ${kind}: ${organic === paid ? code(organic) : `${code(organic)}, with an ad ${code(paid)}`}`,
      '',
      ...rows(
        ['source', 'hosts', 'Android apps', 'words', 'ad platform'],
        ofKind.map(({ name, hosts = [], countryHosts = [], apps = [], words = [], platform }) => [
          code(name),
          codes([...countryHosts.map((host) => `${host}.*`), ...hosts]),
          codes(apps),
          codes(words),
          platform ? code(platform) : '',
        ]),
      ),
    );
  }
  parts.push(
    '## Redirect pages',
    '',
    'A visit that returns from a payment or login page starts no touch. A profile may add hosts of its own in its settings.',
    '',
    `Payment: ${redirectList(paymentHosts)}.`,
    '',
    `Login: ${redirectList(loginHosts)}.`,
    '',
  );
  return parts.join('\n');
}

const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly string[]): string => texts.map(code).join(' ');
const redirectList = (hosts: readonly RedirectHost[]): string =>
  hosts.map(({ host, path = '' }) => code(host + path)).join(', ');

function table(title: string, head: readonly string[], body: readonly (readonly string[])[]): string[] {
  return [`## ${title}`, '', ...rows(head, body)];
}

function rows(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...body.map(line), ''];
}
