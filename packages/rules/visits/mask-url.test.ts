import { limits } from '@tributary/vocabulary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clickIds } from './campaign-tags.ts';
import { maskReferrer, maskUrl } from './mask-url.ts';
import { Effort } from './personal-shapes.ts';

const site = 'https://shop.example';

describe('does not change', () => {
  test.each([
    '/',
    '/blog/how-to-choose-the-right-running-shoes-for-winter-2026',
    '/p/samsung-galaxy-s24-ultra-12gb-256gb-5g-negro',
    '/p/iPhone-15-Pro-Max-256GB-Natural-Titanium',
    '/2026/11/15/gran-apertura',
    '/p/1234567',
    '/@brand',
    '/hotel?checkin=2026-11-15&checkout=20-11-2026&price=129990.00',
    '/?q=zapatillas+para+correr+mujer+talla+38#resenas',
    '/ni%C3%B1os-y-ni%C3%B1as?next=%2Fcheckout%2Fshipping%3Fstep%3D2',
    '/?utm_source=facebook&utm_medium=paid_social&utm_campaign=BlackFriday2026_Remarketing_CL_LAL1-3_Video15s',
    '/?utm_id=20123456789&utm_term=120210123456780999&utm_content=120210123456780123',
    '/?gad_source=1&gad_campaignid=21234567890&hsa_grp=161234567890&ad_id=701234567890',
    '/#/cart?step=2',
  ])('%s', (address) => expect(maskUrl(site + address).url).toBe(site + address));
});

describe('masks', () => {
  test.each([
    ['/u/ana@mail.example/orders', '/u/~email/orders'],
    ['/?x=ana%2540mail.example', '/?x=~email'],
    ['/?x=ANA%40MAIL.EXAMPLE&y=1', '/?x=~email&y=1'],
    ['/?utm_content=ana@mail.example', '/?utm_content=~email'],
    ['/?x=%EF%BC%8B56912345678', '/?x=~phone'],
    ['/?x=%2B56%209%201234%205678', '/?x=~phone'],
    ['/call/912345678', '/call/~phone'],
    ['/?utm_content=56912345678', '/?utm_content=~phone'],
    ['/?x=12.345.678-5', '/?x=~national_id'],
    ['/12345678-5', '/~national_id'],
    ['/?utm_term=12.345.678-5', '/?utm_term=~national_id'],
    ['/?x=12345670K', '/?x=~national_id'],
    ['/?x=4111111111111111', '/?x=~token'],
    ['/o/0190a5b4-1c2d-7e3f-8a4b-5c6d7e8f9a0b', '/o/~token'],
    ['/?x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '/?x=~token'],
    ['/reset/d41d8cd98f00b204e980', '/reset/~token'],
    ['/?utm_campaign=d41d8cd98f00b204e9800998ecf8427e', '/?utm_campaign=~token'],
    [
      '/?email=x&First-Name=y&contact[tel]=1&homeTel=2&code=3',
      '/?email=~email&First-Name=~name&contact[tel]=~phone&homeTel=~phone&code=~token',
    ],
    [
      '/?external_id=a&customer_id=b&customer_key=c&crm_contact_id=d&store-customer-id=e&externalCustomerId=f&external_ref=g',
      '/?external_id=~token&customer_id=~token&customer_key=~token&crm_contact_id=~token&store-customer-id=~token&externalCustomerId=~token&external_ref=~token',
    ],
    ['/?hotel=1&email=', '/?hotel=1&email='],
    ['/?next=%2Fa%3Femail%3Dx', '/?next=~email'],
    ['/?data=%7B%22name%22%3A%22x%22%7D', '/?data=~name'],
    ['/;jsessionid=abc', '/~token'],
    ['/?ana@mail.example', '/?~email'],
    ['/?ana@mail.example=1', '/?~email'],
    ['/#access_token=abc&state=x', '/#access_token=~token&state=~token'],
    ['/#/reset?token=abc', '/#/reset?token=~token'],
    ['/#ana@mail.example', '/#~email'],
    ['/?%65mail=x', '/?%65mail=~email'],
    ['/?x=ana\uff0540mail.example', '/?x=~email'],
  ])('%s', (address, masked) => {
    expect(maskUrl(site + address).url).toBe(site + masked);
  });

  test('drops a user and password', () => {
    expect(maskUrl('https://ana:secret@shop.example:8443/x').url).toBe('https://shop.example:8443/x');
  });

  test('masks a value that is encoded too many times', () => {
    let value = '@';
    for (let layer = 0; layer < 9; layer += 1) value = encodeURIComponent(value);
    expect(maskUrl(`${site}/?x=${value}`).url).toBe(`${site}/?x=~token`);
  });

  test('keeps only the host of a URL that is too long', () => {
    expect(maskUrl(`${site}/${'a/'.repeat(limits.visit.urlCharacters)}`).url).toBe(`${site}/`);
  });

  test('keeps only the host of a URL that is too long when escaped', () => {
    expect(maskUrl(`${site}/?q=${'é'.repeat(1_400)}`).url).toBe(`${site}/`);
  });

  test('replaces everything after the hundredth part of a path, query or hash', () => {
    const many = (part: string, separator: string) => Array.from({ length: 100 }, () => part).join(separator);
    expect(maskUrl(`${site}/?${many('a=1', '&')}&b=2&c=3#${many('a', '/')}/b`).url).toBe(
      `${site}/?${many('a=1', '&')}&~token#${many('a', '/')}/~token`,
    );
  });

  test.each(['', 'shop', '/shoes', 'mailto:ana@mail.example', 'javascript:alert(1)', 'data:text/html,x', 'https://'])(
    'returns nothing for %s, which is not a page',
    (text) => expect(maskUrl(text)).toEqual({ url: '', clickIds: {} }),
  );
});

describe('click ids', () => {
  test('are removed and returned by their kind', () => {
    const { url, clickIds: found } = maskUrl(`${site}/?gclid=EAIaIQ_x-1&GBRAID=b&fbclid=IwAR%31#ttclid=t`);
    expect(url).toBe(`${site}/?gclid=~click&GBRAID=~click&fbclid=~click#ttclid=~click`);
    expect(found).toEqual({ gclid: 'EAIaIQ_x-1', gbraid: 'b', fbclid: 'IwAR1', ttclid: 't' });
  });

  test('that cannot be reported back are removed, too', () => {
    expect(maskUrl(`${site}/?twclid=abc&gclid=${'a'.repeat(513)}`)).toEqual({
      url: `${site}/?twclid=~click&gclid=~click`,
      clickIds: {},
    });
  });

  test('with any known parameter name are masked', () => {
    for (const { parameter } of clickIds)
      expect(maskUrl(`${site}/?${parameter}=abc`).url).toBe(`${site}/?${parameter}=~click`);
  });
});

test('reserved parameters are removed without a trace', () => {
  expect(maskUrl(`${site}/?svc_t=abc`).url).toBe(`${site}/`);
  expect(maskUrl(`${site}/?a=1&SVC_V=x&svc%5Ft=y&b=2#svc_t=z`).url).toBe(`${site}/?a=1&b=2`);
  expect(maskUrl(`${site}/?next=%2F%3Fa%3D1%26svc_t%3Dx`).url).toBe(`${site}/?next=~token`);
});

describe('a referrer', () => {
  const of = (referrer: string) => maskReferrer(referrer, `${site}/`, ['own.example']);
  test.each([
    ['https://blog.example.org/a/ana@mail.example?x=1#y', 'https://blog.example.org/a/~email'],
    ['https://www.google.com/search?q=ana', 'https://www.google.com/'],
    ['android-app://com.google.android.gm/x', 'android-app://com.google.android.gm/x'],
    ['https://www.shop.example/a?b=1&email=x', 'https://www.shop.example/a?b=1&email=~email'],
    ['https://pay.own.example/a?b=1&svc_t=x', 'https://pay.own.example/a?b=1'],
    ['about:blank', ''],
    ['', ''],
  ])('%s', (referrer, masked) => expect(of(referrer)).toBe(masked));
});

describe('for any input', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  const piece = fc.oneof(
    text,
    fc.emailAddress(),
    fc.uuid(),
    fc.base64String({ maxLength: 60 }),
    fc.integer({ min: 0 }).map(String),
    fc.stringMatching(/^[~%@=&?#/;:+.0-9a-fk-]{0,40}$/),
    text.map(encodeURIComponent0),
    fc.constantFrom('svc_t=x', 'gclid=x', 'email=x', '~email', '~click', '%2540', '+56 9 1234 5678'),
  );
  const address = fc
    .tuple(piece, fc.array(fc.tuple(piece, piece), { maxLength: 4 }), piece)
    .map(([path, pairs, hash]) => {
      return `${site}/${path}?${pairs.map((pair) => pair.join('=')).join('&')}#${hash}`;
    });

  test('returns a result, and masking again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(text, address), (url) => {
        const masked = maskUrl(url);
        expect(maskUrl(masked.url)).toEqual({ url: masked.url, clickIds: {} });
        const referrer = maskReferrer(url, `${site}/`, []);
        expect(maskReferrer(referrer, `${site}/`, [])).toBe(referrer);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('no request slows down the others', () => {
  const slow = [
    '?%25&',
    '?%&',
    '?%ff&',
    '#%&',
    '?%25=%25&',
    '?a=%2525252525252525&',
    '?a=2026-11-15%252525252525%u&%41é%EF%B7%BA%25:%26eyJ9',
    '#(\u0301%25 \ufdfa& %252525252525;%252525252525A%',
    '#1%259_&:=',
    `?${'a'.repeat(900)}=${'-1 '.repeat(300)}&`,
  ];
  test.each(slow)('masking 64 KB of %s costs less than 60 ms', (unit) => {
    const url = `${site}/${unit.repeat(limits.visit.urlCharacters)}`.slice(0, limits.visit.urlCharacters);
    const urls = Array.from({ length: Math.floor(65_536 / Buffer.byteLength(url)) }, (_, place) =>
      url.slice(0, -2).concat(String(10 + place)),
    );
    // CPU time of this thread only, and the best of many attempts, to exclude other work of the machine.
    let cost = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 40 && cost >= 60; attempt += 1) {
      const effort = new Effort();
      const before = process.threadCpuUsage();
      for (const each of urls) maskUrl(each, effort);
      cost = Math.min(cost, process.threadCpuUsage(before).user / 1_000);
    }
    expect(cost).toBeLessThan(60);
  });

  test('masks what it would have to check after the effort is spent', () => {
    const url = `${site}/shoes?color=blue&q=a%2540b`;
    expect(maskUrl(url, new Effort(3)).url).toBe(`${site}/shoes?color=blue&q=~token`);
    expect(maskUrl(url).url).toBe(`${site}/shoes?color=blue&q=~email`);
  });
});

/** encodeURIComponent for any text, including half a surrogate pair. */
function encodeURIComponent0(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
