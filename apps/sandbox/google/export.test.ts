import { createHash } from 'node:crypto';
import type { ExportEvent } from '@tributary/providers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';
import { callTo } from '../testing.ts';
import { googleAdsAt, openCustomer, openGoogle, searchConsoleAt } from './google.fixture.ts';
import { lastFinalDay, searchDay, searchError } from './search-console.ts';
import type { GoogleCustomer } from './state.ts';

let now = new Date('2026-03-10T12:00:00Z');
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 4, now: () => now });
});
afterAll(() => sandbox.close());
const call = () => callTo(sandbox, now);
const sha = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the Data Manager', () => {
  const exports = () => googleAdsAt(sandbox).export ?? expect.unreachable();
  const event = (over: Partial<ExportEvent> = {}): ExportEvent => ({
    eventId: 't1',
    eventName: 'Purchase',
    occurredAt: new Date('2026-03-10T10:00:00Z'),
    actionSource: 'website',
    value: '20.50',
    currency: 'EUR',
    clickIds: { gclid: 'Cj0', gbraid: 'x' },
    person: { email: 'A.na.Diaz@Gmail.com', phone: '+56 9 1234 5678' },
    consent: { adUserData: true, adPersonalization: false },
    ...over,
  });

  it("accepts events in Google's format, processes them later and leaves duplicates out", async () => {
    const [customer] = state().customers as [GoogleCustomer];
    const account = openCustomer(sandbox, customer, now);
    const send = (events: readonly ExportEvent[], dataset = customer.conversionAction) =>
      exports().send(account, dataset, exports().prepare(events, dataset, account), call());
    const first = await send([event()]);
    if (first.state !== 'processing') return expect.unreachable();
    expect(await exports().poll?.(account, first.ticket, call())).toEqual(first);
    expect(await exports().poll?.(account, first.ticket, call())).toEqual({ state: 'accepted', warnings: [] });
    expect(sandbox.book.google.events.kept).toEqual([
      {
        transactionId: 't1',
        eventTimestamp: '2026-03-10T10:00:00.000Z',
        eventSource: 'WEB',
        conversionValue: 20.5,
        currency: 'EUR',
        adIdentifiers: { gclid: 'Cj0' },
        userData: {
          userIdentifiers: [{ emailAddress: sha('anadiaz@gmail.com') }, { phoneNumber: sha('+56912345678') }],
        },
        consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_DENIED' },
      },
    ]);
    const again = await send([event(), event({ eventId: 't2', actionSource: 'chat' })]);
    if (again.state !== 'processing') return expect.unreachable();
    await exports().poll?.(account, again.ticket, call());
    expect(await exports().poll?.(account, again.ticket, call())).toEqual({
      state: 'accepted',
      warnings: ['PROCESSING_ERROR_REASON_DUPLICATE_TRANSACTION_ID: 1'],
    });
    expect(sandbox.book.google.events.kept.map(({ transactionId }) => transactionId)).toEqual(['t1', 't2']);

    const anonymousEvent = event({ eventId: 't3', clickIds: { fbclid: 'f' }, person: {} });
    expect(exports().findFlaw(anonymousEvent, account, now)).toBe('nobody_named');
    expect(await send([event({ eventId: 't4' }), anonymousEvent])).toMatchObject({ state: 'rejected' });
    expect(await send([event({ eventId: 't5' })], '1')).toMatchObject({ state: 'rejected' });
    expect(exports().findFlaw(event({ occurredAt: new Date('2025-11-01T00:00:00Z') }), account, now)).toBe('too_old');
    expect(sandbox.book.google.events.kept).toHaveLength(2);
  });

  const state = () => sandbox.book.google.state;
});

describe('Search Console', () => {
  const site = 'sc-domain:shop.example';
  const open = () => ({
    externalId: site,
    credentials: openGoogle(sandbox, [site, 'https://old.example/'], now),
    details: {},
  });

  it('offers verified sites, and reads final days, the latest ones again', async () => {
    const console = searchConsoleAt(sandbox);
    expect(await console.connect?.candidates(open().credentials, call())).toMatchObject([
      { externalId: site, name: 'shop.example' },
    ]);
    const pages = await Array.fromAsync(console.sync?.(open(), null, call()) ?? []);
    const records = pages.flatMap((page) => page.records);
    const lastDay = lastFinalDay(now);
    expect(lastDay).toBe('2026-03-07');
    const expected = searchDay(lastDay).map((row) => ({
      kind: 'search_term',
      reading: expect.any(String),
      ...row,
      position: String(row.position),
    }));
    expect(records.filter((one) => one.kind === 'search_term' && one.day === lastDay)).toEqual(expected);
    expect(records.filter(({ kind }) => kind === 'search_term')).toHaveLength(87 * expected.length);
    expect(records.at(-1)).toMatchObject({ kind: 'search_days' });
    now = new Date('2026-03-11T12:00:00Z');
    const later = await Array.fromAsync(console.sync?.(open(), pages.at(-1)?.position ?? null, call()) ?? []);
    const days = new Set(
      later.flatMap((page) => page.records.flatMap((one) => (one.kind === 'search_term' ? [one.day] : []))),
    );
    expect([...days]).toEqual(['2026-03-06', '2026-03-07', '2026-03-08']);
  });

  it.each([
    [403, 'userRateLimitExceeded', { verdict: 'wait', retryAfterMs: 60_000 }],
    [403, 'quotaExceeded', { verdict: 'wait', retryAfterMs: 900_000 }],
    [403, 'forbidden', { verdict: 'needs_action' }],
    [401, 'authError', { verdict: 'reconnect' }],
    [503, 'backendError', { verdict: 'wait' }],
  ])('classifies the error %s %s', async (status, reason, expected) => {
    sandbox.say({ at: /query$/, reply: searchError(status, reason, 'no') });
    const pages = searchConsoleAt(sandbox).sync?.(open(), null, call()) ?? [];
    await expect(Array.fromAsync(pages)).rejects.toMatchObject({ details: { code: reason, ...expected } });
  });
});
