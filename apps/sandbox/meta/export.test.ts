import { createHash } from 'node:crypto';
import type { ExportEvent } from '@tributary/providers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';
import { callTo } from '../testing.ts';
import { metaAt, openMetaAccount } from './meta.fixture.ts';
import type { MetaAccount } from './state.ts';

const start = new Date('2026-03-10T12:00:00Z');
let now = start;
let sandbox: Sandbox;
let account: ReturnType<typeof openMetaAccount>;
let dataset: string;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 2, now: () => now });
  const [first] = sandbox.book.meta.state.accounts as [MetaAccount];
  account = openMetaAccount(sandbox, first);
  dataset = first.pixels[0]?.id ?? '';
});
afterAll(() => sandbox.close());
beforeEach(() => {
  now = start;
  sandbox.book.meta.events.kept.length = 0;
  sandbox.book.meta.events.copies = 0;
});

const capi = () => metaAt(sandbox).export ?? expect.unreachable();
const send = (events: readonly ExportEvent[]) =>
  capi().send(account, dataset, capi().prepare(events, dataset, account), callTo(sandbox, now));
const sha = (text: string) => createHash('sha256').update(text).digest('hex');

const purchase = (over: Partial<ExportEvent> = {}): ExportEvent => ({
  eventId: 'e1',
  eventName: 'Purchase',
  occurredAt: new Date('2026-03-10T10:00:00Z'),
  actionSource: 'system_generated',
  value: '1250.50',
  currency: 'USD',
  clickIds: {},
  person: {
    email: ' Ana@Example.COM ',
    phone: '+56 9 1234 5678',
    name: 'Ana María Pérez',
    externalId: 'c-7',
    country: 'CL',
  },
  ...over,
});

it('sends an event in Meta’s format, with hashed identifiers and plain click ids', async () => {
  const clickedAt = new Date('2026-03-09T10:00:00Z');
  expect(await send([purchase({ clickIds: { fbclid: 'AbC', fbp: 'fb.1.5.6' }, clickedAt })])).toEqual({
    state: 'accepted',
    warnings: [],
  });
  expect(sandbox.book.meta.events.kept).toEqual([
    {
      dataset,
      event_id: 'e1',
      event_name: 'Purchase',
      event_time: 1_773_136_800,
      action_source: 'system_generated',
      user_data: {
        em: [sha('ana@example.com')],
        ph: [sha('56912345678')],
        fn: [sha('ana')],
        ln: [sha('maría pérez')],
        external_id: [sha('c-7')],
        country: [sha('cl')],
        fbc: 'fb.1.1773050400000.AbC',
        fbp: 'fb.1.5.6',
      },
      custom_data: { value: 1250.5, currency: 'USD' },
    },
  ]);
});

it('deduplicates copies within 48 hours, and counts them after that', async () => {
  sandbox.say({ at: /events$/, answer: 'lost' });
  await expect(send([purchase({ eventId: 'd1' })])).rejects.toMatchObject({ details: { mayHaveHappened: true } });
  await send([purchase({ eventId: 'd1' }), purchase({ eventId: 'd2' })]);
  expect(sandbox.book.meta.events.kept.map(({ event_id }) => event_id)).toEqual(['d1', 'd2']);
  expect(sandbox.book.meta.events.copies).toBe(1);
  now = new Date(start.getTime() + capi().deduplicatesForMs + 1);
  await send([purchase({ eventId: 'd1' })]);
  expect(sandbox.book.meta.events.kept).toHaveLength(3);
});

it('loses the whole batch when one event is too old, and names that event before sending', async () => {
  const old = purchase({ eventId: 'old', occurredAt: new Date(start.getTime() - 7 * 86_400_000 - 1000) });
  expect(await send([purchase(), old])).toEqual({ state: 'rejected', says: 'An event is older than 7 days.' });
  expect(sandbox.book.meta.events.kept).toEqual([]);
  const flaw = (over: Partial<ExportEvent>) => capi().findFlaw(purchase(over), account, now);
  expect(flaw({})).toBeUndefined();
  expect(flaw({ occurredAt: old.occurredAt })).toBe('too_old');
  expect(flaw({ occurredAt: old.occurredAt, actionSource: 'physical_store' })).toBeUndefined();
  expect(flaw({ occurredAt: new Date(start.getTime() - 63 * 86_400_000), actionSource: 'physical_store' })).toBe(
    'too_old',
  );
  expect(flaw({ occurredAt: new Date(start.getTime() + 1000) })).toBe('in_future');
  expect(flaw({ person: { country: 'CL' } })).toBe('nobody_named');
  expect(flaw({ actionSource: 'website' })).toBe('no_source_url');
  expect(flaw({ actionSource: 'website', sourceUrl: 'https://shop.example/' })).toBe('no_user_agent');
});

it('validates every event as the platform does', async () => {
  const pages = { sourceUrl: 'https://shop.example/', userAgent: 'Mozilla/5.0' };
  const variants: Partial<ExportEvent>[] = [
    {},
    { person: {} },
    { person: { country: 'CL' }, clickIds: { fbclid: 'x' } },
    { clickIds: { ctwa_clid: 'x' }, actionSource: 'business_messaging', person: {} },
    { actionSource: 'website', ...pages },
    { actionSource: 'website', sourceUrl: pages.sourceUrl },
    { actionSource: 'website', userAgent: pages.userAgent },
    { occurredAt: new Date(start.getTime() - 8 * 86_400_000) },
    { occurredAt: new Date(start.getTime() - 8 * 86_400_000), actionSource: 'physical_store' },
    { person: { email: sha('hashed before') } },
  ];
  for (const [place, over] of variants.entries()) {
    const event = purchase({ ...over, eventId: `v${place}` });
    const { state } = await send([event]);
    expect([place, state]).toEqual([place, capi().findFlaw(event, account, now) ? 'rejected' : 'accepted']);
  }
});

it('is a messaging event only with the chat’s account and click id', async () => {
  const chat = purchase({ actionSource: 'business_messaging', clickIds: { ctwa_clid: 'clid' }, eventId: 'm' });
  const prepared = (details: Record<string, string>) =>
    JSON.parse(capi().prepare([chat], dataset, { ...account, details })).data[0];
  expect(prepared({})).toMatchObject({ action_source: 'chat' });
  expect(prepared({ whatsappBusinessAccountId: '77' })).toMatchObject({
    action_source: 'business_messaging',
    messaging_channel: 'whatsapp',
    user_data: { whatsapp_business_account_id: '77', ctwa_clid: 'clid' },
  });
});
