import { testVault } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { identify, minute, useEveryStore } from './every-store.fixture.ts';
import { namesSeenIn } from './scan-for-remains.ts';
import { memoize } from './verify-erasure.ts';

const scene = useEveryStore();
const { anaPays, browse, drained, eraseAna, publish, requestNow, untilDone, searchStores } = scene;

const link = 'https://shop.example/thanks?email=ana%40example.cl&name=Ana';
const foundIn = async (erasureId: string) =>
  (await searchStores(erasureId)).stores
    .filter(({ found }) => found > 0)
    .map(({ store, found }) => `${store}: ${found}`);

/** Stores a response under an Idempotency-Key, like the API does. */
const storeResponse = async (key: number, body: object) => {
  const keyHash = Buffer.alloc(32, key);
  const location = { table: 'idempotent_answers', column: 'body', row: keyHash.toString('hex') };
  const sealed = testVault.seal(JSON.stringify(body), { ...location, profileId: scene.shop.profileId });
  const end = new Date(scene.kit.clock.now().getTime() + 86_400_000);
  await scene.shop.rows(
    sql`INSERT INTO idempotent_answers VALUES (${scene.shop.profileId}, ${keyHash}, '\\x00', 201, ${sealed}, ${end})`,
  );
};
const storeSummary = async (personId: string, text: string) => {
  const location = { table: 'journey_summaries', column: 'sealed', row: personId, profileId: scene.shop.profileId };
  await scene.shop.rows(sql`
    INSERT INTO journey_summaries VALUES (${scene.shop.profileId}, ${personId}, ${testVault.seal(text, location)}, 'model',
      ${scene.kit.clock.now()}, 1, false)`);
};
const evaPays = (properties: object, more: object = {}) =>
  scene.shop.event(
    `eva-${uuid()}`,
    { external_id: 'key-eva', email: 'eva@example.cl' },
    { event_name: 'payment_received', properties: { value: '5', currency: 'USD', ...properties }, ...more },
  );

describe('a person named inside a text', () => {
  test('is found by the search and gone after the erasure: bad rows, dead letters, responses, summaries, other customers’ notes', async () => {
    await anaPays();
    await browse(uuid(), { url: link, session_id: 'no id' });
    await browse(uuid(), { url: 'https://shop.example/', note: 'call +56 9 1234 5678', session_id: 'no id' });
    await browse(uuid(), { ...identify('eva@example.cl'), session_id: 'no id' });
    await drained();
    const letters = await scene.log.deadLetters.count();
    const unaffected = requestNow(uuid(), { url: 'https://shop.example/eva' });
    await publish(
      Buffer.from(['no message', requestNow(uuid(), { url: link, session_id: 'no id' }), unaffected].join('\n')),
    );
    await drained();
    await vi.waitFor(async () => expect(await scene.log.deadLetters.count()).toBe(letters + 1));
    await evaPays(
      { note: 'a gift for ana@example.cl' },
      { page_url: `https://shop.example/?next=${encodeURIComponent(link)}` },
    );
    await evaPays({ note: 'a gift for nobody@example.cl' });
    const [eva] = await scene.shop.rows<{ id: string }>(
      sql`SELECT customer_id AS id FROM identifiers WHERE value = 'key-eva'`,
    );
    await storeSummary(eva?.id as string, 'She was recommended by ana@example.cl and paid.');
    await storeResponse(1, { data: { summary: `Came by ${link}.` } });
    await storeResponse(2, { data: { summary: 'Came by https://shop.example/.' } });
    scene.kit.clock.advance(minute);

    const erasureId = await eraseAna();
    expect(await foundIn(erasureId)).toEqual(
      expect.arrayContaining([
        'postgres outcomes: 1',
        'postgres bad_visits, opened: 1',
        'dead letters, opened: 1',
        'postgres idempotent_answers, opened: 1',
        'postgres journey_summaries, opened: 1',
      ]),
    );
    await untilDone(erasureId);
    expect(await foundIn(erasureId)).toEqual([]);

    expect(await scene.shop.rows(sql`SELECT FROM bad_visits`)).toHaveLength(2);
    const last = (await scene.log.deadLetters.list({ limit: 100 })).letters.at(-1);
    expect(Buffer.from(last?.payload ?? []).toString()).toBe(`no message\n${unaffected}`);
    expect(await scene.shop.rows(sql`SELECT FROM journey_summaries`)).toEqual([]);
    const notes = await scene.shop.rows<{ note: string; url: string | null }>(sql`
      SELECT rest #>> '{properties,note}' AS note, rest ->> 'page_url' AS url FROM outcomes
      WHERE customer_id = ${eva?.id} ORDER BY 1`);
    expect(notes).toEqual([
      { note: '[erased]', url: '[erased]' },
      { note: 'a gift for nobody@example.cl', url: null },
    ]);
  });

  test('who returns after the erasure keeps what was recorded since', async () => {
    await anaPays();
    scene.kit.clock.advance(minute);
    const erasureId = await eraseAna();
    scene.kit.clock.advance(minute);
    await scene.shop.event('again', { email: 'ana@example.cl' });
    await evaPays({ note: 'with ana@example.cl' });
    await browse(uuid(), { url: link, session_id: 'no id' });
    await drained();
    await untilDone(erasureId);
    expect(await scene.shop.rows(sql`SELECT FROM bad_visits`)).toHaveLength(1);
    expect(await scene.shop.rows(sql`SELECT FROM outcomes WHERE rest::text LIKE '%ana@%'`)).toHaveLength(1);
    expect(await searchStores(erasureId)).toMatchObject({ found: 0, known_again: 1 });
  });

  test('is searched by a word that is no identifier only if the word is given', async () => {
    await anaPays();
    const erasureId = await eraseAna();
    await untilDone(erasureId);
    await evaPays({ note: 'Greetings to Anastasia' });
    expect((await searchStores(erasureId)).found).toBe(0);
    expect(await searchStores(erasureId, ['anastasia'])).toMatchObject({ found: 1 });
    expect(JSON.stringify(await searchStores(erasureId, ['anastasia']))).not.toMatch(/anastasia/i);
  });
});

describe('data that cannot be decrypted', () => {
  test('does not block an erasure', async () => {
    await anaPays();
    await browse(uuid(), { url: link, session_id: 'no id' });
    await storeResponse(1, { data: 'of ana@example.cl' });
    await drained();
    await scene.shop.rows(sql`UPDATE bad_visits SET sealed = '\\x0101'`);
    await scene.shop.rows(sql`UPDATE idempotent_answers SET body = '\\x0101'`);
    await storeSummary(uuid(), 'x');
    await scene.shop.rows(sql`UPDATE journey_summaries SET sealed = '\\x0101'`);
    scene.kit.clock.advance(minute);
    const erasureId = await eraseAna();
    await untilDone(erasureId);
    expect((await searchStores(erasureId)).found).toBe(0);
  });
});

test('finds a name regardless of how many words were hashed before', () => {
  const isTheirs = memoize((name) => name === 'ana' || name === 'word-3');
  for (let round = 0; round < 2; round += 1) {
    expect(isTheirs('ana')).toBe(true);
    for (let n = 0; n <= 100_001; n += 1) if (isTheirs(`word-${n}`) !== (n === 3)) expect.unreachable(`word-${n}`);
  }
  expect(['ana', 'word-3', 'word-4'].map(isTheirs)).toEqual([true, true, false]);
});

describe('namesSeenIn', () => {
  const seen = (content: unknown) => [...namesSeenIn(content)].map((name) => name.replace('identifier:', ''));
  const twice = encodeURIComponent(encodeURIComponent('ana@example.cl'));
  test.each([
    ['email', 'ana@example.cl', 'write (ana@example.cl), please'],
    ['email', 'ana@example.cl', `https://x.example/?next=${twice}`],
    ['email', 'ana@example.cl', { deep: [{ 'Ana@Example.cl': 1 }] }],
    ['email', 'ana@example.cl', JSON.stringify({ a: JSON.stringify({ mail: 'ana@example.cl' }) })],
    ['email', 'ana@example.cl', Buffer.from('mail=ana@example.cl').toString('base64')],
    ['email', 'ana@example.cl', 'ana&#x40;example.cl'],
    ['email', 'ana@example.cl', Buffer.from('mail=???? ana@example.cl').toString('base64url')],
    ['email', 'ana@example.cl', Buffer.from('mail=>>>> ana@example.cl').toString('base64url')],
    ['email', 'ana@example.cl', 'https://x.example/?q=Mu%C3%B1oz%20ana%40example.cl'],
    ['external_customer_id', 'Muñoz 7', 'https://x.example/?q=Mu%C3%B1oz%207'],
    ['phone', '+56912345678', 'tel. +56 9 1234-5678.'],
    ['phone', '+56912345678', 'tel=912345678&x'],
    ['national_id', '12345678-5', 'rut:12.345.678-5'],
    ['national_id', '123456-0', 'rut 123.456-0'],
    ['national_id', '1000005-K', 'rut 1.000.005-k'],
    ['external_customer_id', 'key-ana', 'bought by key-ana.'],
    ['external_customer_id', '1118', 'https://shop.example/u/1118?x'],
    ['external_customer_id', 'Ana Soto 7', 'for Ana Soto 7, a gift'],
  ])('finds %s %s in %j', (kind, value, content) => {
    expect(seen(content)).toContain(`${kind}:${value}`);
  });
});
