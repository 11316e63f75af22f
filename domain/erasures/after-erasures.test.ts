import { clearedVisit } from '@tributary/domain/ingestion';
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
  verifyIt,
  visits,
  worked,
} = scene;

describe('afterwards', () => {
  test('all that was ever sent, sent again, brings nothing back', async () => {
    await anaPays();
    const before = await report();
    const erasureId = await eraseAna();
    await untilDone(erasureId);
    await sendAllAgain();
    await drained();
    await worked();
    for (const visit of await visits()) expect(visit).toMatchObject(clearedVisit);
    expect(await visits()).toHaveLength(3);
    expect(await scene.place.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await report()).toEqual(before);
    expect((await verifyIt(erasureId)).found).toBe(0);
  });

  test('[eras-031] the returning browser is a stranger, whom a link token of before does not make hers', async () => {
    const { client } = await anaPays();
    const { token } = await scene.place.mint({ customer_key: 'key-ana' });
    const [before] = await visits();
    await untilDone(await eraseAna());
    scene.kit.clock.advance(minute);
    await browse(client, { url: 'https://shop.example/again', link_token: token });
    await drained();
    const again = (await visits()).find(({ url }) => url.endsWith('/again'));
    expect(again?.visitor_id).not.toBe(before?.visitor_id);
    expect(await scene.place.rows(sql`SELECT visitor_id FROM visitor_links`)).toEqual([
      { visitor_id: before?.visitor_id },
    ]);
    // It may become somebody anew, and that somebody may be erased, too.
    await browse(client, identify('ana@example.cl'));
    await drained();
    const [, known] = await scene.place.rows<{ visitor_id: string }>(
      sql`SELECT visitor_id FROM visitor_links ORDER BY linked_at`,
    );
    expect(known?.visitor_id).toBe(again?.visitor_id);
    scene.kit.clock.advance(minute);
    const second = (await scene.place.erase({ email: 'ana@example.cl' })).json().data.erasure_id;
    await untilDone(second);
    scene.kit.clock.advance(minute);
    await browse(client, { url: 'https://shop.example/third' });
    await drained();
    expect(new Set((await visits()).map(({ visitor_id }) => visitor_id)).size).toBe(3);
  });

  test('an identify that was delayed until the erasure was done makes nobody known', async () => {
    await anaPays();
    await stopConsuming();
    const said = requestNow(uuid(), identify('ana@example.cl'));
    scene.kit.clock.advance(minute);
    const erasureId = await eraseAna();
    await consume();
    await untilDone(erasureId);
    await publish(Buffer.from(said));
    await drained();
    expect(await scene.place.rows(sql`SELECT FROM identifiers`)).toEqual([]);
    expect(await scene.place.rows(sql`SELECT FROM visitor_links`)).toHaveLength(1);
  });

  test('what another browser does stays as it was', async () => {
    await anaPays();
    const eva = uuid();
    await browse(eva, { url: 'https://shop.example/eva' }, identify('eva@example.cl'));
    await drained();
    await untilDone(await eraseAna());
    expect((await visits()).filter(({ url }) => url.includes('eva'))).toHaveLength(1);
    expect(await scene.place.rows(sql`SELECT value FROM identifiers`)).toEqual([{ value: 'eva@example.cl' }]);
  });
});

describe('what could not be understood', () => {
  const badRows = async () => (await scene.place.rows(sql`SELECT FROM bad_visits`)).length;

  test('bad rows of the browser and those that name the person go, and do not come back; others stay', async () => {
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

  test('of a dead letter goes the line that is the person’s; the others stay in it', async () => {
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

    // The same message dies once more, long after.
    await publish(Buffer.from(lines.join('\n')));
    await drained();
    await vi.waitFor(async () => expect(await scene.log.deadLetters.count()).toBe(before + 2));
    await complete();
    const again = (await scene.log.deadLetters.list({ limit: 100 })).letters.at(-1);
    expect(Buffer.from(again?.payload ?? []).toString()).toBe(text);
  });
});
