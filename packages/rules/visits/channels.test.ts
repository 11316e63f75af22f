import { readFileSync } from 'node:fs';
import { marketingChannels } from '@tributary/vocabulary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clickIds, idParameters, media, utmParameters } from './campaign-tags.ts';
import { sites } from './channel-table.ts';
import { channelCases } from './channels.cases.ts';
import { classifyVisit } from './channels.ts';
import { plainHost, siteOfHost } from './hosts.ts';
import { maskReferrer, maskUrl } from './mask-url.ts';
import { loginHosts, paymentHosts } from './redirect-hosts.ts';

const page = (query = '') => `https://shop.example/shoes${query === '' || query.startsWith('#') ? query : `?${query}`}`;
const ownHosts = ['own.example'];
const classify = (query?: string, referrer?: string) => classifyVisit({ url: page(query), referrer, ownHosts });

describe('a visit', () => {
  test.each(channelCases)('from $title is $is', ({ query, referrer, is, source }) => {
    expect(classify(query, referrer)).toMatchObject({
      channel: is,
      source,
      medium: marketingChannels[is].medium,
      isDirect: is === 'direct',
    });
  });

  test.each(channelCases)('from $title is classified the same after masking', ({ query, referrer }) => {
    const url = page(query);
    const masked = { url: maskUrl(url).url, referrer: maskReferrer(referrer ?? '', url, ownHosts), ownHosts };
    expect(classifyVisit(masked)).toEqual(classifyVisit({ url, referrer, ownHosts }));
  });
});

describe('ids', () => {
  test('of every level are read, with their platform', () => {
    const query = 'utm_source=fb&utm_medium=cpc&campaign_id=1200000001&adset_id=1200000002&ad_id=1200000003&fbclid=x';
    expect(classify(query)).toMatchObject({
      platform: 'social_ads',
      clickIdKind: 'fbclid',
      campaignExternalId: '1200000001',
      adSetExternalId: '1200000002',
      adExternalId: '1200000003',
      hasCampaign: true,
    });
  });

  test('may be in free text', () => {
    const ids = classify(
      'utm_source=fb&utm_campaign=120210000000000001&utm_term=120210000000000002&utm_content=120210000000000003',
    );
    expect(ids.campaignExternalId).toBe('120210000000000001');
    expect(ids.adSetExternalId).toBe('120210000000000002');
    expect(ids.adExternalId).toBe('120210000000000003');
    expect(classify('utm_campaign=2026&utm_content=blue').campaignExternalId).toBeNull();
  });

  test('in the platform’s own parameter take precedence over free text', () => {
    expect(classify('utm_id=11111111&gad_campaignid=22222222').campaignExternalId).toBe('22222222');
  });

  test.each(['{{ad.id}}', '%7B%7Bad.id%7D%7D', '{adid}', '__AID__', '', '~token', '-', '12'])(
    '%s is not an id',
    (value) => {
      expect(classify(`ad_id=${value}`).adExternalId).toBeNull();
    },
  );
});

describe('returning from', () => {
  test.each([
    ['a payment', 'https://checkout.stripe.com/c/pay', true],
    ['a payment in Chile', 'https://webpay3g.transbank.cl/', true],
    ['a login', 'https://accounts.google.com/', true],
    ['a login on a host that is also a site', 'https://www.facebook.com/v19.0/dialog/oauth', true],
    ['a network', 'https://www.facebook.com/', false],
    ['the profile’s own payment page', 'https://pay.bank.example/', true],
    ['our own site', 'https://shop.example/', false],
  ])('%s', (_, referrer, is) => {
    const found = classifyVisit({ url: page('utm_source=x'), referrer, extraRedirectHosts: ['Bank.example.'] });
    expect(found.isRedirectReturn).toBe(is);
  });

  test("does not count as a visit from the host's parent site", () => {
    const from = (referrer: string) => {
      const { channel, source } = classifyVisit({ url: page(), referrer });
      return [channel, source];
    };
    expect(from('https://www.facebook.com/groups')).toEqual(['organic_social', 'facebook']);
    expect(from('https://www.facebook.com/login/device')).toEqual(['referral', 'facebook.com']);
  });
});

describe('for any input', () => {
  const query = fc.string({ unit: 'binary', maxLength: 80 });

  test('returns a classification', () => {
    fc.assert(
      fc.property(query, query, query, (url, referrer, host) => {
        for (const address of [url, page(url), page(`utm_source=${url}&gclid=${referrer}`), page(`#${url}`)]) {
          const { channel, source } = classifyVisit({
            url: address,
            referrer,
            ownHosts: [host],
            extraRedirectHosts: [url],
          });
          expect(Object.keys(marketingChannels)).toContain(channel);
          expect(source).not.toBe('');
        }
      }),
    );
  });

  const names = [
    ...utmParameters,
    ...clickIds.map(({ parameter }) => parameter),
    ...idParameters.map(({ parameter }) => parameter),
  ];
  const value = fc.oneof(
    fc.constantFrom('google', 'fb', 'cpc', 'social', 'x', '120210123456780'),
    fc.webSegment(),
    fc.constantFrom('+', '%20', '%00', '{gclid}', '{{ad.id}}', '__CLICKID__'),
    fc.constantFrom(...media.flatMap(({ words }) => words)),
  );
  const parameters = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), value), {
    selector: ([name]) => name,
    maxLength: 8,
  });
  const write = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([name, text]) => `${name}=${text}`).join('&');

  test('the order and the case of parameters do not matter', () => {
    fc.assert(
      fc.property(parameters, fc.func(fc.nat()), fc.boolean(), (pairs, rank, isLarge) => {
        const shuffled = pairs.toSorted((a, b) => rank(a[0]) - rank(b[0]));
        const written = shuffled.map(([name, text]) => [isLarge ? name.toUpperCase() : name, text] as const);
        expect(classify(write(written))).toEqual(classify(write(pairs)));
      }),
    );
  });

  const hosts = sites.flatMap((site) => [
    ...(site.hosts ?? []),
    ...(site.countryHosts ?? []).map((name) => `${name}.com.mx`),
  ]);
  const redirects = [...paymentHosts, ...loginHosts].map(({ host, path = '' }) => host + path);

  test('the case of a host and a trailing dot do not matter', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...hosts, ...redirects.map((host) => host.split('/')[0] ?? '')), fc.domain()),
        (host) => {
          const classification = classify('', `https://${host}/`);
          expect(classify('', `HTTPS://${host.toUpperCase()}./`)).toEqual(classification);
          expect(classify('', `https://www.${host}:8443/`)).toEqual(classification);
        },
      ),
    );
  });

  test('tags of a visit are the same before and after masking', () => {
    fc.assert(
      fc.property(parameters, (pairs) => {
        const url = page(write(pairs));
        fc.pre(pairs.every(([, text]) => !maskUrl(page(`utm_source=${text}`)).url.includes('~')));
        expect(classifyVisit({ url: maskUrl(url).url })).toEqual(classifyVisit({ url }));
      }),
    );
  });
});

describe('the tables', () => {
  test('contain each entry once', () => {
    const lists = {
      names: sites.map(({ name }) => name),
      hosts: sites.flatMap(({ hosts = [], apps = [], countryHosts = [] }) => [...hosts, ...apps, ...countryHosts]),
      words: sites.flatMap(({ name, words = [] }) => [name, ...words]),
      media: media.flatMap(({ words }) => words),
      clickIds: clickIds.map(({ parameter }) => parameter),
      ids: idParameters.map(({ parameter }) => parameter),
      redirects: [...paymentHosts, ...loginHosts].map(({ host, path = '' }) => host + path),
    };
    for (const list of Object.values(lists)) {
      expect(list.filter((entry, place) => list.indexOf(entry) !== place)).toEqual([]);
      expect(list.every((entry) => entry === entry.toLowerCase())).toBe(true);
    }
  });

  test('refer only to existing sites, and every host is found', () => {
    const names = sites.map(({ name }) => name);
    for (const { site } of clickIds) if (site) expect(names).toContain(site);
    for (const site of sites)
      for (const host of site.hosts ?? []) expect(siteOfHost(plainHost(`www.${host}`))).toBe(site);
  });
});

test('docs/guides/tag-your-ads.md shows the classification of every URL, and its unfilled templates name no ids', () => {
  const guide = readFileSync(new URL('../../../docs/guides/tag-your-ads.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `(https:[^`]+)` +\|(.*)\|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, url = '', cells = ''] of rows) {
    const { channel, campaignExternalId, adSetExternalId, adExternalId } = classifyVisit({ url });
    const expected = cells.split('|').map((cell) => cell.replaceAll('`', '').trim() || null);
    expect([channel, campaignExternalId, adSetExternalId, adExternalId], url).toEqual(expected);
  }
  const templates = [...guide.matchAll(/```text\n(.+)\n```/g)].map(([, template = '']) => template);
  expect(templates).toHaveLength(4);
  for (const template of templates) {
    const read = classifyVisit({ url: page(template) });
    expect(read).toMatchObject({ campaignExternalId: null, adSetExternalId: null, adExternalId: null });
    expect(read.channel, template).toMatch(/^paid_/);
  }
});
