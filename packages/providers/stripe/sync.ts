import { z } from 'zod';
import type { Call, Said, Sync, SyncPage } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readAs } from '../read-answer.ts';
import type { Params, StripeApi } from './api.ts';
import type { StripeCredentials } from './connect.ts';
import { Charge, Dispute, Refund, sayCharge, sayDispute, sayRefund } from './objects.ts';

/**
 * First the lists of charges, refunds and disputes, the newest first; then what happened since, by Stripe's own list of events, the oldest
 * first. `anchor` is the event behind which the latter begins: the newest there was when the walk through the lists began.
 */
export const StripePosition = z.object({
  phase: z.enum(['charges', 'refunds', 'disputes', 'events']),
  /** The last object of the page before. */
  after: z.string().nullable(),
  /** Objects made before are known already, in seconds; 0: none are. */
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
const onlyThese: Params = types.map((type) => ['types[]', type]);
const mostRows: Params = [['limit', '100']];
/** Events of the last minutes are read once more the next time: a later one may still come before them. */
const settledSeconds = 300;
/** Lists by `created` overlap by a day where no event marks the place. */
const overlapSeconds = 86_400;

const lists = {
  charges: { row: Charge, say: sayCharge, also: [['expand[]', 'data.customer']], next: 'refunds', progress: 0.6 },
  refunds: { row: Refund, say: sayRefund, also: [], next: 'disputes', progress: 0.8 },
  disputes: { row: Dispute, say: sayDispute, also: [], next: 'events', progress: 0.9 },
} as const;

export const createSync = (api: StripeApi): Sync<StripeCredentials, StripePosition> =>
  async function* sync({ credentials }, from, call) {
    const token = credentials.accessToken;
    let position = from ?? (await begin(0));
    for (let isRead = false; !isRead; ) {
      while (position.phase !== 'events') {
        const { said, next, progress } = await readList(position, position.phase);
        position = next;
        yield { said, position, progress };
      }
      if (position.anchor === null) {
        // Stripe keeps events for 30 days, and there was none: whatever is new stands in the lists.
        yield { said: [], position: await begin(position.startedAt - overlapSeconds), progress: 1 };
        return;
      }
      isRead = yield* readEvents(position.anchor);
    }

    async function begin(since: number): Promise<StripePosition> {
      const schema = listOf(Event);
      const { data } = await api.get('/v1/events', [['limit', '1'], ...onlyThese], schema, token, call);
      const startedAt = Math.floor(call.now.getTime() / 1000);
      return { phase: 'charges', after: null, since, startedAt, anchor: data[0]?.id ?? null };
    }

    async function readList(at: StripePosition, phase: keyof typeof lists) {
      const { also, next, progress, row, say } = lists[phase];
      const params: Params = [
        ...mostRows,
        ...also,
        ...(at.since > 0 ? [['created[gte]', String(at.since)] as const] : []),
        ...(at.after === null ? [] : [['starting_after', at.after] as const]),
      ];
      const page = await api.get(`/v1/${phase}`, params, listOf(z.looseObject({ id: z.string() })), token, call);
      const said = page.data.flatMap((one): Said[] =>
        (say as (row: unknown) => Said[])(readAs<unknown>(row, one, phase)),
      );
      const last = page.data.at(-1)?.id;
      const isOver = !page.has_more || last === undefined;
      return {
        said,
        next: isOver ? { ...at, phase: next, after: null } : { ...at, after: last },
        progress: isOver ? progress : progress / 2,
      };
    }

    /** Returns false if the anchor was forgotten: then the lists are read again. */
    async function* readEvents(anchor: string): AsyncGenerator<SyncPage<StripePosition>, boolean> {
      const { startedAt } = position;
      let [cursor, settled] = [anchor, anchor];
      for (let hasMore = true; hasMore; ) {
        const page = await eventsBehind(api, cursor, token, call);
        if (page === undefined) {
          // Older than what Stripe keeps: only the lists know what happened meanwhile.
          position = await begin(0);
          yield { said: [], position, progress: 0 };
          return false;
        }
        const events = page.data.toReversed();
        for (const { id, created } of events) if (created <= call.now.getTime() / 1000 - settledSeconds) settled = id;
        cursor = events.at(-1)?.id ?? cursor;
        hasMore = page.has_more && events.length > 0;
        const reached = hasMore ? cursor : settled;
        position = { phase: 'events', after: null, since: 0, startedAt, anchor: reached };
        yield { said: events.flatMap(sayEvent), position, progress: hasMore ? 0.95 : 1 };
      }
      return true;
    }
  };

/** The hundred that came next; undefined: the anchor is forgotten. */
async function eventsBehind(api: StripeApi, anchor: string, token: string, call: Call) {
  try {
    return await api.get(
      '/v1/events',
      [...mostRows, ...onlyThese, ['ending_before', anchor]],
      listOf(Event),
      token,
      call,
    );
  } catch (error) {
    if (error instanceof ProviderFault && error.details.code === 'resource_missing') return undefined;
    throw error;
  }
}

function sayEvent({ data: { object } }: z.infer<typeof Event>): Said[] {
  switch (object.object) {
    case 'charge':
      return sayCharge(readAs(Charge, object, 'charge'));
    case 'refund':
      return sayRefund(readAs(Refund, object, 'refund'));
    case 'dispute':
      return sayDispute(readAs(Dispute, object, 'dispute'));
    default:
      return [];
  }
}
