import { clickIdKindNames, entityLevels, marketingChannels } from '@tributary/vocabulary';
import { clickIds, idParameters, media, utmParameters } from './campaign-tags.ts';
import { sites } from './channel-table.ts';
import { loginHosts, paymentHosts, type RedirectHost } from './redirect-hosts.ts';
import { siteKinds } from './sites/site.ts';

/** docs/channels.md */
export function channelsPage(): string {
  const parts = [
    '# Channels',
    '',
    'Made from packages/rules/visits (channel-table.ts, campaign-tags.ts, redirect-hosts.ts) by `npm run check -- --write`; do',
    'not edit by hand.',
    '',
    'A visit is put into a channel by its own two addresses: the page and the referrer. Nothing that happened before or after',
    'plays a part. The first of these that applies decides:',
    '',
    '1. A click id that stands on ads only. The tags may still say which kind of ad it was.',
    '2. `utm_medium`, together with `utm_source` where the medium says no more than paid or organic.',
    '3. `utm_source`, or a click id that also stands on links nobody paid for. With ids that only ads carry, it was an ad.',
    '4. Tags that no list below knows: `unknown`.',
    '5. The referrer, if it is another site. One that no list knows is a `referral`.',
    '6. Otherwise the visit is `direct`.',
    '',
    'Small and large letters are alike, and so are `paid_social`, `paid-social` and `Paid Social`. A macro that the platform',
    'did not fill in, like `{{ad.id}}` or `__CID__`, is as good as absent.',
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
      ['parameter', 'source', 'only on ads', 'kept, sealed'],
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
    'text of at least 8. For each level the first that holds one counts.',
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
    'A host stands for its subdomains too, unless a longer one has a line of its own. `google.*` is its domain in every',
    'country. The words are what `utm_source` may say besides the name and the hosts.',
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
    '## Pages people come back from',
    '',
    'A visit that comes back from paying or logging in starts no touch. A profile may add hosts of its own in its settings.',
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
