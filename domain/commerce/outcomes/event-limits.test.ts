import { type EventSender, openEventSender, openTest, paymentEvent } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
let sender: EventSender;
beforeEach(async () => {
  sender = await openEventSender(kit, api);
});

const { fields, depth, bytes } = limits.item;
const fieldsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
/** An event of exactly `size` bytes. */
function ofBytes(size: number) {
  const event = { event_name: 'survey', properties: { note: '' } };
  event.properties.note = 'x'.repeat(size - JSON.stringify(event).length);
  return event;
}

const withinLimits = [
  ['fields', { event_name: 'survey', properties: fieldsOf(fields) }],
  ['levels', { event_name: 'survey', properties: nested(depth) }],
  ['levels of lists', { event_name: 'survey', properties: { a: [[[1]]] } }],
  ['bytes', ofBytes(bytes)],
] as const;
const overLimits = [
  ['fields', { event_name: 'survey', properties: fieldsOf(fields + 1) }, 'properties', 'with more than 100 fields'],
  ['traits', { event_name: 'survey', user_traits: fieldsOf(fields + 1) }, 'user_traits', 'with more than 100 fields'],
  ['click ids', { event_name: 'survey', click_ids: fieldsOf(fields + 1) }, 'click_ids', 'with more than 100 fields'],
  ['levels', { event_name: 'survey', properties: nested(depth + 1) }, 'properties', 'more than 4 levels deep'],
  ['levels of lists', { event_name: 'survey', properties: { a: [[[[]]]] } }, 'properties', 'more than 4 levels deep'],
  ['bytes', ofBytes(bytes + 1), undefined, 'larger than 32 KiB'],
] as const;

describe('a single event', () => {
  test.each(withinLimits)('at the limit of %s is recorded', async (_what, event) => {
    expect((await sender.post(event)).status).toBe(202);
  });

  test.each(overLimits)('over the limit of %s is rejected', async (_what, event, field, message) => {
    const { status, body } = await sender.post(event);
    expect([status, body.error.code, body.error.field]).toEqual([422, 'validation_error', field]);
    expect(body.error.message).toContain(message);
    expect(await sender.outcomes()).toEqual([]);
  });

  test('with 250,000 properties is rejected before it is parsed', async () => {
    const properties = { value: '1', currency: 'CLP', ...fieldsOf(250_000) };
    const { status, body } = await sender.post({ ...paymentEvent({ key: 'large', day: 1 }), properties });
    expect([status, body.error.code]).toEqual([422, 'validation_error']);
    expect(await sender.outcomes()).toEqual([]);
  });
});

test('a batch rejects only the events over a limit, each with its reason', async () => {
  const events = [...withinLimits, ...overLimits].map(([, event]) => event);
  const { status, body } = await sender.post({ events });
  expect(status).toBe(202);
  expect(body.data.summary).toMatchObject({ recorded: withinLimits.length, rejected: overLimits.length });
  expect(body.data.results.slice(withinLimits.length)).toEqual(
    overLimits.map(([, , field, message], index) => ({
      index: withinLimits.length + index,
      status: 'rejected',
      code: 'validation_error',
      field: field ?? '',
      message: expect.stringContaining(message),
    })),
  );
});

test('one event with 250,000 properties does not affect the other 999 of its batch', async () => {
  const events = Array.from({ length: 999 }, () => ({ event_name: 'survey', properties: { plan: 'pro' } }));
  const { body } = await sender.post({ events: [...events, { event_name: 'survey', properties: fieldsOf(250_000) }] });
  expect(body.data.summary).toMatchObject({ recorded: 999, rejected: 1 });
});
