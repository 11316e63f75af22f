import { clearedVisit } from '@tributary/domain/traffic/ingestion';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { identify, minute, useEveryStore } from './every-store.fixture.ts';

const scene = useEveryStore();
const {
  anaPays,
  browse,
  complete,
  consume,
  drained,
  eraseAna,
  publish,
  report,
  requestNow,
  sendAllAgain,
  stopConsuming,
  untilDone,
  searchStores,
  visits,
  worked,
} = scene;

describe('after an erasure', () => {
  test('replaying everything ever sent restores nothing', async () => {
    await anaPays();
    const before = await report();
    const erasureId = await eraseAna();
    await untilDone(erasureId);
    await sendAllAgain();
    await drained();
    await worked();
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
    expect(await visits()).toHaveLength(3);
    expect(await scene.shop.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await report()).toEqual(before);
    expect((await searchStores(erasureId)).found).toBe(0);
  });

  test('[eras-031] the returning browser is a new visitor, and an old link token does not link it', async () => {
    const { client } = await anaPays();
    const { token } = await scene.shop.mint({ customer_key: 'key-ana' });
    const [before] = await visits();
    await untilDone(await eraseAna());
    scene.kit.clock.advance(minute);
    await browse(client, { url: 'https://shop.example/again', link_token: token });
    await drained();
    const again = (await visits()).find(({ url }) => url.endsWith('/again'));
    expect(again?.visitor_id).not.toBe(before?.visitor_id);
    expect(await scene.shop.rows(sql`SELECT visitor_id FROM visitor_links`)).toEqual([
      { visitor_id: before?.visitor_id },
    ]);
    // The new visitor may be identified and erased again.
    await browse(client, identify('ana@example.cl'));
    await drained();
    const [, identified] = await scene.shop.rows<{ visitor_id: string }>(
      sql`SELECT visitor_id FROM visitor_links ORDER BY linked_at`,
    );
    expect(identified?.visitor_id).toBe(again?.visitor_id);
    scene.kit.clock.advance(minute);
    const second = (await scene.shop.erase({ email: 'ana@example.cl' })).json().data.erasure_id;
    await untilDone(second);
    scene.kit.clock.advance(minute);
    await browse(client, { url: 'https://shop.example/third' });
    await drained();
    expect(new Set((await visits()).map(({ visitor_id }) => visitor_id)).size).toBe(3);
  });

  test('a delayed identify that arrives after the erasure creates no customer', async () => {
    await anaPays();
    await stopConsuming();
    const identifyMessage = requestNow(uuid(), identify('ana@example.cl'));
    scene.kit.clock.advance(minute);
    const erasureId = await eraseAna();
    await consume();
    await untilDone(erasureId);
    await publish(Buffer.from(identifyMessage));
    await drained();
    expect(await scene.shop.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await scene.shop.rows(sql`SELECT FROM visitor_links`)).toHaveLength(1);
  });

  test('data of other browsers stays unchanged', async () => {
    await anaPays();
    const eva = uuid();
    await browse(eva, { url: 'https://shop.example/eva' }, identify('eva@example.cl'));
    await drained();
    await untilDone(await eraseAna());
    expect((await visits()).filter(({ url }) => url.includes('eva'))).toHaveLength(1);
    expect(await scene.shop.rows(sql`SELECT value FROM identifiers`)).toEqual([{ value: 'eva@example.cl' }]);
  });
});

describe('unreadable data', () => {
  const badRows = async () => (await scene.shop.rows(sql`SELECT FROM bad_visits`)).length;

  test('erases bad rows of the browser and of rows that name the person, and keeps the others', async () => {
    const { client } = await anaPays();
    await browse(client, { url: 'no address' });
    await browse(uuid(), { ...identify('ana@example.cl'), session_id: 'no id' });
    await browse(uuid(), { ...identify('eva@example.cl'), session_id: 'no id' });
    await drained();
    expect(await badRows()).toBe(3);
    scene.kit.clock.advance(minute);
    await untilDone(await eraseAna());
    expect(await badRows()).toBe(1);
    await sendAllAgain();
    await drained();
    expect(await badRows()).toBe(1);
  });

  test('removes only the person’s line from a dead letter', async () => {
    const { client } = await anaPays();
    const lines = [
      'no message of ours',
      requestNow(client, { url: 'https://shop.example/dead/ana' }),
      requestNow(uuid(), { url: 'https://shop.example/dead/eva' }),
      requestNow(uuid(), identify('ana@example.cl')),
    ];
    const before = await scene.log.deadLetters.count();
    await publish(Buffer.from(lines.join('\n')));
    await drained();
    await vi.waitFor(async () => expect(await scene.log.deadLetters.count()).toBe(before + 1));
    scene.kit.clock.advance(minute);
    await untilDone(await eraseAna());
    const { letters } = await scene.log.deadLetters.list({ limit: 100 });
    expect(letters).toHaveLength(before + 1);
    const text = Buffer.from(letters.at(-1)?.payload ?? []).toString();
    expect(text.split('\n')).toEqual([lines[0], lines[2]]);

    // The same message becomes a dead letter again, long after.
    await publish(Buffer.from(lines.join('\n')));
    await drained();
    await vi.waitFor(async () => expect(await scene.log.deadLetters.count()).toBe(before + 2));
    await complete();
    const again = (await scene.log.deadLetters.list({ limit: 100 })).letters.at(-1);
    expect(Buffer.from(again?.payload ?? []).toString()).toBe(text);
  });
});
