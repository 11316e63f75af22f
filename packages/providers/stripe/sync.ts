import { z } from 'zod';
import type { Call, ProviderRecord, Sync, SyncPage } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readAs } from '../read-answer.ts';
import type { Params, StripeApi } from './api.ts';
import type { StripeCredentials } from './connect.ts';
import { Charge, Dispute, parseCharge, parseDispute, parseRefund, Refund } from './objects.ts';

/**
 * First reads the lists of charges, refunds and disputes, newest first; then Stripe's list of events, oldest first. `anchor` is
 * the event after which the latter starts: the newest one when reading of the lists began.
 */
export const StripePosition = z.object({
  phase: z.enum(['charges', 'refunds', 'disputes', 'events']),
  /** The last object of the previous page. */
  after: z.string().nullable(),
  /** Objects created before this time, in seconds, have been read; 0: none have. */
  since: z.number(),
  startedAt: z.number(),
  anchor: z.string().nullable(),
});
export type StripePosition = z.infer<typeof StripePosition>;

const Event = z.object({
  id: z.string(),
  type: z.string(),
  created: z.number(),
  data: z.object({ object: z.looseObject({ object: z.string() }) }),
});
const listOf = <T>(row: z.ZodType<T>) => z.object({ data: z.array(row), has_more: z.boolean() });

const types = [
  'charge.succeeded',
  'charge.captured',
  'charge.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
];
const typeFilter: Params = types.map((type) => ['types[]', type]);
const mostRows: Params = [['limit', '100']];
/** The events of the last minutes are read again next time: a later event may still be listed before them. */
const settledSeconds = 300;
/** Lists by `created` overlap by a day if there is no anchor event. */
const overlapSeconds = 86_400;

const lists = {
  charges: { row: Charge, parse: parseCharge, also: [['expand[]', 'data.customer']], next: 'refunds', progress: 0.6 },
  refunds: { row: Refund, parse: parseRefund, also: [], next: 'disputes', progress: 0.8 },
  disputes: { row: Dispute, parse: parseDispute, also: [], next: 'events', progress: 0.9 },
} as const;

export const createSync = (api: StripeApi): Sync<StripeCredentials, StripePosition> =>
  async function* sync({ credentials }, from, call) {
    const token = credentials.accessToken;
    let position = from ?? (await begin(0));
    for (let isRead = false; !isRead; ) {
      while (position.phase !== 'events') {
        const { records, next, progress } = await readList(position, position.phase);
        position = next;
        yield { records: records, position, progress };
      }
      if (position.anchor === null) {
        // Stripe keeps events for 30 days, and there was none: new objects are found in the lists.
        yield { records: [], position: await begin(position.startedAt - overlapSeconds), progress: 1 };
        return;
      }
      isRead = yield* readEvents(position.anchor);
    }

    async function begin(since: number): Promise<StripePosition> {
      const schema = listOf(Event);
      const { data } = await api.get('/v1/events', [['limit', '1'], ...typeFilter], schema, token, call);
      const startedAt = Math.floor(call.now.getTime() / 1000);
      return { phase: 'charges', after: null, since, startedAt, anchor: data[0]?.id ?? null };
    }

    async function readList(at: StripePosition, phase: keyof typeof lists) {
      const { also, next, progress, row, parse } = lists[phase];
      const params: Params = [
        ...mostRows,
        ...also,
        ...(at.since > 0 ? [['created[gte]', String(at.since)] as const] : []),
        ...(at.after === null ? [] : [['starting_after', at.after] as const]),
      ];
      const page = await api.get(`/v1/${phase}`, params, listOf(z.looseObject({ id: z.string() })), token, call);
      const records = page.data.flatMap((one): ProviderRecord[] =>
        (parse as (row: unknown) => ProviderRecord[])(readAs<unknown>(row, one, phase)),
      );
      const last = page.data.at(-1)?.id;
      const isOver = !page.has_more || last === undefined;
      return {
        records,
        next: isOver ? { ...at, phase: next, after: null } : { ...at, after: last },
        progress: isOver ? progress : progress / 2,
      };
    }

    /** Returns false if the anchor has expired: the lists are then read again. */
    async function* readEvents(anchor: string): AsyncGenerator<SyncPage<StripePosition>, boolean> {
      const { startedAt } = position;
      let [cursor, settled] = [anchor, anchor];
      for (let hasMore = true; hasMore; ) {
        const page = await readEventsAfter(api, cursor, token, call);
        if (page === undefined) {
          // The anchor is older than Stripe's retention, so only the lists show what happened since.
          position = await begin(0);
          yield { records: [], position, progress: 0 };
          return false;
        }
        const events = page.data.toReversed();
        for (const { id, created } of events) if (created <= call.now.getTime() / 1000 - settledSeconds) settled = id;
        cursor = events.at(-1)?.id ?? cursor;
        hasMore = page.has_more && events.length > 0;
        const reached = hasMore ? cursor : settled;
        position = { phase: 'events', after: null, since: 0, startedAt, anchor: reached };
        yield { records: events.flatMap(parseEvent), position, progress: hasMore ? 0.95 : 1 };
      }
      return true;
    }
  };

/** The next hundred events; undefined if the anchor has expired. */
async function readEventsAfter(api: StripeApi, anchor: string, token: string, call: Call) {
  try {
    return await api.get(
      '/v1/events',
      [...mostRows, ...typeFilter, ['ending_before', anchor]],
      listOf(Event),
      token,
      call,
    );
  } catch (error) {
    if (error instanceof ProviderFault && error.details.code === 'resource_missing') return undefined;
    throw error;
  }
}

function parseEvent({ data: { object } }: z.infer<typeof Event>): ProviderRecord[] {
  switch (object.object) {
    case 'charge':
      return parseCharge(readAs(Charge, object, 'charge'));
    case 'refund':
      return parseRefund(readAs(Refund, object, 'refund'));
    case 'dispute':
      return parseDispute(readAs(Dispute, object, 'dispute'));
    default:
      return [];
  }
}
