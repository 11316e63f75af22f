import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkClock, readEnvelope, readVisit, visitRefusals } from './read-visit.ts';

const id = '019a0000-0000-7000-8000-00000000000a';
const pageView = {
  id,
  at: '2026-11-15T10:00:00.000Z',
  type: 'page_view',
  session_id: id,
  is_session_start: true,
  url: 'https://shop.example/x',
};
const track = { ...pageView, type: 'track', name: 'lead' };
const identify = { ...pageView, type: 'identify', traits: { email: 'ana@mail.example' } };

describe('readVisit', () => {
  test('parses a visit as it was sent', () => {
    const whole = { ...pageView, referrer: 'https://www.google.com/', link_token: 'a-b_c.d', verification: 'n0nce' };
    for (const input of [
      pageView,
      track,
      identify,
      whole,
      { ...track, properties: { a: 'b', c: 1, d: true, e: null } },
    ]) {
      expect(readVisit(input)).toEqual({ ok: true, visit: input });
      expect(readVisit(JSON.parse(JSON.stringify(input)))).toEqual({ ok: true, visit: input });
    }
  });

  test('normalises: ids in lower case, values trimmed, empty and unknown values dropped', () => {
    const input = {
      ...track,
      id: id.toUpperCase(),
      session_id: id.toUpperCase(),
      name: ' lead ',
      referrer: '',
      properties: {},
      extra: 1,
      is_session_start: undefined,
    };
    expect(readVisit(input)).toEqual({ ok: true, visit: { ...track, is_session_start: false } });
    const { visit } = readVisit({ ...identify, traits: { email: ' a ', phone: null, last_name: ' ', shoe: 'x' } }) as {
      visit: object;
    };
    expect(visit).toEqual({ ...identify, traits: { email: 'a' } });
  });

  test('accepts a property of any name', () => {
    const properties = JSON.parse('{"__proto__": 1, "constructor": 2}');
    const read = readVisit({ ...track, properties });
    expect(read.ok && Object.entries(read.visit.properties ?? {})).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });

  const long = (length: number) => 'x'.repeat(length);
  test.each([
    ['not_an_object', null],
    ['not_an_object', []],
    ['not_an_object', 'x'],
    ['bad_id', { ...pageView, id: undefined }],
    ['bad_id', { ...pageView, id: '019a0000-0000-4000-8000-00000000000a' }],
    ['bad_id', { ...pageView, id: `${id}\n` }],
    ['bad_time', { ...pageView, at: 1_763_200_000_000 }],
    ['bad_time', { ...pageView, at: '2026-11-15T10:00:00Z' }],
    ['bad_time', { ...pageView, at: '2026-02-30T10:00:00.000Z' }],
    ['bad_time', { ...pageView, at: '2026-02-29T10:00:00.000Z' }],
    ['bad_time', { ...pageView, at: '2026-04-31T10:00:00.000Z' }],
    ['bad_time', { ...pageView, at: '2026-13-01T10:00:00.000Z' }],
    ['bad_time', { ...pageView, at: '2026-11-15T24:00:00.000Z' }],
    ['bad_type', { ...pageView, type: 'click' }],
    ['bad_session', { ...pageView, session_id: 'x' }],
    ['bad_session', { ...pageView, is_session_start: 'yes' }],
    ['bad_url', { ...pageView, url: undefined }],
    ['bad_url', { ...pageView, url: '/x' }],
    ['bad_url', { ...pageView, url: 'https://' }],
    ['bad_url', { ...pageView, url: 'javascript:alert(1)' }],
    ['bad_url', { ...pageView, url: 'https://shop.example/\0' }],
    ['bad_url', { ...pageView, url: 'https://shop.example/\ud800' }],
    ['too_large', { ...pageView, url: `https://shop.example/${long(4_096)}` }],
    ['too_large', { ...pageView, referrer: `https://shop.example/${long(4_096)}` }],
    ['bad_referrer', { ...pageView, referrer: 'x' }],
    ['bad_referrer', { ...pageView, referrer: 1 }],
    ['bad_referrer', { ...pageView, referrer: 'https://shop.example/\udc00' }],
    ['bad_name', { ...pageView, name: 'lead' }],
    ['bad_name', { ...track, name: undefined }],
    ['bad_name', { ...track, name: ' ' }],
    ['bad_name', { ...track, name: long(101) }],
    ['bad_name', { ...track, name: 'a\0' }],
    ['bad_name', { ...track, name: '\ud800' }],
    ['bad_properties', { ...pageView, properties: {} }],
    ['bad_properties', { ...track, properties: [] }],
    ['bad_properties', { ...track, properties: { a: {} } }],
    ['bad_properties', { ...track, properties: { a: Number.POSITIVE_INFINITY } }],
    ['bad_properties', { ...track, properties: { a: long(1_001) } }],
    ['bad_properties', { ...track, properties: { [long(65)]: 1 } }],
    ['bad_properties', { ...track, properties: { '': 1 } }],
    ['bad_properties', { ...track, properties: { 'a\0': 1 } }],
    ['bad_properties', { ...track, properties: { a: '\udfff' } }],
    [
      'bad_properties',
      { ...track, properties: Object.fromEntries(Array.from({ length: 21 }, (_, place) => [place, 1])) },
    ],
    ['bad_traits', { ...pageView, traits: { email: 'a' } }],
    ['bad_signature', { ...identify, signature: 7 }],
    ['bad_signature', { ...identify, signature: long(81) }],
    ['bad_traits', { ...identify, traits: undefined }],
    ['bad_traits', { ...identify, traits: {} }],
    ['bad_traits', { ...identify, traits: { email: 1 } }],
    ['bad_traits', { ...identify, traits: { email: 'a\0' } }],
    ['bad_traits', { ...identify, traits: { phone: long(256) } }],
    ['bad_link_token', { ...pageView, link_token: '' }],
    ['bad_link_token', { ...pageView, link_token: 'a b' }],
    ['bad_link_token', { ...pageView, link_token: long(1_025) }],
    ['bad_verification', { ...pageView, verification: 1 }],
    ['bad_verification', { ...pageView, verification: long(129) }],
  ])('%s: %j', (reason, input) => expect(readVisit(input)).toEqual({ ok: false, reason }));

  /** A text of the given length with the given start. */
  const filled = (start: string, length: number) => start + long(length - start.length);
  const address = 'https://shop.example/';
  test.each<[string, number, (length: number) => object]>([
    ['an address', 4_096, (length) => ({ ...pageView, url: filled(address, length) })],
    ['a referrer', 4_096, (length) => ({ ...pageView, referrer: filled(address, length) })],
    ['a name', 100, (length) => ({ ...track, name: long(length) })],
    ['a property', 1_000, (length) => ({ ...track, properties: { a: long(length) } })],
    ['a property’s name', 64, (length) => ({ ...track, properties: { [long(length)]: 1 } })],
    ['a trait', 255, (length) => ({ ...identify, traits: { phone: long(length) } })],
    ['a signature', 80, (length) => ({ ...identify, signature: long(length) })],
    ['a link token', 1_024, (length) => ({ ...pageView, link_token: long(length) })],
    ['a verification', 128, (length) => ({ ...pageView, verification: long(length) })],
    [
      'properties',
      20,
      (length) => ({ ...track, properties: Object.fromEntries(Array.from({ length }, (_, at) => [`p${at}`, 1])) }),
    ],
  ])('accepts %s up to its limit of %d, and not one more', (_, limit, visit) => {
    expect(readVisit(visit(limit))).toMatchObject({ ok: true });
    expect(readVisit(visit(limit + 1))).toMatchObject({ ok: false });
  });

  test('returns a result for any input', () => {
    const fields = fc.record(
      Object.fromEntries(
        Object.keys({ ...track, ...identify, properties: 1, referrer: 1 }).map((name) => [name, fc.anything()]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fields,
          fields.map((input) => ({ ...input, ...pageView })),
        ),
        (input) => {
          const read = readVisit(input);
          if (!read.ok) expect(visitRefusals).toContain(read.reason);
          else expect(readVisit(JSON.parse(JSON.stringify(read.visit)))).toEqual(read);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('readEnvelope', () => {
  const envelope = { key: `trk_${'a1B'.repeat(7)}z`, client_id: id, visits: [pageView] };

  test('does not parse its visits', () => {
    expect(readEnvelope(envelope)).toEqual({ ok: true, envelope: { ...envelope, consent: false } });
    expect(readEnvelope({ ...envelope, consent: true })).toMatchObject({ envelope: { consent: true } });
    expect(readEnvelope({ ...envelope, consent: 'yes' })).toMatchObject({ envelope: { consent: false } });
    expect(readEnvelope({ ...envelope, client_id: id.toUpperCase(), visits: Array(50).fill('x'), more: 1 })).toEqual({
      ok: true,
      envelope: { ...envelope, consent: false, visits: Array(50).fill('x') },
    });
  });

  test.each([
    ['not_an_object', []],
    ['bad_key', { ...envelope, key: 'trk_short' }],
    ['bad_key', { ...envelope, key: `${envelope.key}\n` }],
    ['bad_client_id', { ...envelope, client_id: 'x' }],
    ['bad_visits', { ...envelope, visits: {} }],
    ['bad_visits', { ...envelope, visits: [] }],
    ['too_many_visits', { ...envelope, visits: Array(51).fill(pageView) }],
  ])('%s', (reason, input) => expect(readEnvelope(input)).toEqual({ ok: false, reason }));
});

test.each([
  ['2026-11-15T10:05:00.000Z', undefined],
  ['2026-11-15T10:05:00.001Z', 'clock_ahead'],
  ['2026-10-16T10:00:00.000Z', undefined],
  ['2026-10-16T09:59:59.999Z', 'too_old'],
])('a browser’s clock at %s when it is 10:00 on 15 November: %s', (at, is) => {
  expect(checkClock(at, '2026-11-15T10:00:00.000Z')).toBe(is);
  expect(checkClock(at, new Date('2026-11-15T10:00:00.000Z'))).toBe(is);
});
