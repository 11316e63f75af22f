import { deleteDeadLettersOf } from '@tributary/domain/traffic/ingestion/module.ts';
import { testRing, testStreamVault } from '@tributary/testkit';
import { eventually, openPrivateStream, type PrivateStream } from '@tributary/testkit/stream';
import { createOpener } from '@tributary/vault';
import { v7 as uuid } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deadLetterHeaders, eraseWebhookDeadLetters, readWebhookDeadLetters } from './dead-letters.ts';
import { openWebhook, sealWebhook } from './message.ts';

const [ours, theirs] = [uuid(), uuid()];
const opening = { streamVault: createOpener(() => testRing.keys('stream')) };
const receivedAt = new Date('2026-06-01T12:00:00Z');
let own: PrivateStream;
beforeEach(async () => {
  own = await openPrivateStream();
  await own.stream.ensureWorkStreams();
});
afterEach(() => own.destroy());

const seal = (body: string) =>
  sealWebhook(testStreamVault, uuid(), {
    channel: 'store',
    receivedAt,
    delivery: { headers: { 'x-shop': 'shop' }, body: Buffer.from(body) },
  });

/** Publishes webhooks that are rejected into the dead letters, each for the given profiles. */
async function addDeadLetters(...of: readonly { readonly body: string; readonly profileIds?: readonly string[] }[]) {
  const headersOf = new Map<string, Record<string, string>>();
  for (const { body, profileIds } of of) {
    const message = await seal(body);
    headersOf.set(message.id, profileIds ? deadLetterHeaders(profileIds) : {});
    await own.stream.webhooks.publish(message);
  }
  const consumer = await own.stream.webhooks.consume({
    pullMs: 1_000,
    maxWaitMs: 5,
    handler: async (batch) => {
      for (const message of batch) message.reject('unreadable', headersOf.get(message.id));
    },
  });
  await eventually(async () => (await own.stream.deadLetters.count()) === of.length);
  await consumer.stop();
}

const contents = async (profileId: string) =>
  (await Array.fromAsync(readWebhookDeadLetters(profileId, { stream: own.stream, opening }))).map(
    ({ content }) => content,
  );
const signal = AbortSignal.timeout(60_000);

test('decrypts a webhook as sent, and fails under a different id, time or provider', async () => {
  const message = await seal('{"a": 1}\nb');
  expect(await openWebhook(opening.streamVault, message)).toMatchObject({
    channel: 'store',
    receivedAt,
    delivery: { headers: { 'x-shop': 'shop' } },
  });
  const body = (await openWebhook(opening.streamVault, message))?.delivery.body;
  expect(Buffer.from(body ?? []).toString()).toBe('{"a": 1}\nb');
  const { headers } = message;
  for (const changed of [
    { ...message, id: uuid() },
    { ...message, headers: { ...headers, Channel: 'crm_a' } },
    { ...message, headers: { ...headers, 'Received-At': '2026-06-01T12:00:01.000Z' } },
  ])
    await expect(openWebhook(opening.streamVault, changed)).rejects.toThrow('does not open');
  expect(await openWebhook(opening.streamVault, { ...message, headers: {} })).toBeUndefined();
});

test('an erasure deletes dead letters that name the erased customer, only in that profile', async () => {
  await addDeadLetters(
    { body: '{"email":"ana@example.com"}', profileIds: [ours] },
    { body: '{"email":"eva@example.com"}', profileIds: [ours] },
    { body: '{"email":"ana@example.com"}', profileIds: [theirs] },
    { body: 'not JSON, ana@example.com' },
  );
  expect(await contents(ours)).toEqual([
    [{ 'x-shop': 'shop' }, { email: 'ana@example.com' }],
    [{ 'x-shop': 'shop' }, { email: 'eva@example.com' }],
    [{ 'x-shop': 'shop' }, 'not JSON, ana@example.com'],
  ]);
  const stores = { stream: own.stream, opening };
  const namingAna = async <Row extends { content: unknown }>(_profileId: string, rows: readonly Row[]) =>
    rows.filter(({ content }) => JSON.stringify(content).includes('ana@'));
  expect(await eraseWebhookDeadLetters(ours, stores, namingAna, signal)).toBe(2);
  expect(await contents(ours)).toEqual([[{ 'x-shop': 'shop' }, { email: 'eva@example.com' }]]);
  expect(await contents(theirs)).toHaveLength(1);
});

test('deleting a profile deletes its dead letters', async () => {
  await addDeadLetters(
    { body: '{}', profileIds: [ours] },
    { body: '{}', profileIds: [theirs, ours] },
    { body: '{}', profileIds: [theirs] },
  );
  expect(await deleteDeadLettersOf(own.stream, ours, signal)).toBe(2);
  expect([await contents(ours), await contents(theirs)]).toEqual([[], [[{ 'x-shop': 'shop' }, {}]]]);
});
