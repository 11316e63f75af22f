import { dayMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Call, OutcomeRecord, Sync } from '../provider.ts';
import { instant } from '../read-answer.ts';
import type { JsonAnswer } from '../request-json.ts';
import type { FintocCredentials } from './credentials.ts';

/**
 * Movements are listed newest first by page number. A movement that arrives during the sync shifts the others back, so a page may
 * repeat rows but misses none.
 */
export const FintocPosition = z.object({
  startedAt: z.string(),
  page: z.number(),
  /** Earlier days have been read already; null: none have. */
  since: z.string().nullable(),
});
export type FintocPosition = z.infer<typeof FintocPosition>;

const Movement = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  type: z.string(),
  post_date: z.string(),
  transaction_date: z.string().nullish(),
  pending: z.boolean().default(false),
  sender_account: z.object({ holder_id: z.string().nullish(), holder_name: z.string().nullish() }).nullish(),
});

type Get = <T>(
  path: string,
  params: Record<string, string>,
  schema: z.ZodType<T>,
  call: Call,
) => Promise<JsonAnswer<T>>;

const rowsAPage = 300;
/** Banks post late, so the last week is read again. */
const overlapMs = 7 * dayMs;

export const createSync = (get: Get): Sync<FintocCredentials, FintocPosition> =>
  async function* sync({ externalId, credentials }, from, call) {
    let position = from && from.page > 1 ? from : { ...begin(from, call.now) };
    for (let isLast = false; !isLast; ) {
      const { page, since } = position;
      const params = {
        link_token: credentials.linkToken,
        per_page: String(rowsAPage),
        page: String(page),
        confirmed_only: 'true',
        ...(since && { since }),
      };
      const path = `/accounts/${encodeURIComponent(externalId)}/movements`;
      const { body: rows } = await get(path, params, z.array(Movement), call);
      isLast = rows.length < rowsAPage;
      const readOn = new Date(Date.parse(position.startedAt) - overlapMs).toISOString().slice(0, 10);
      position = isLast ? { ...position, page: 1, since: readOn } : { ...position, page: page + 1 };
      yield { records: rows.flatMap(parseMovement), position, progress: isLast ? 1 : 0.5 };
    }
  };

const begin = (from: FintocPosition | null, now: Date): FintocPosition => ({
  startedAt: now.toISOString(),
  page: 1,
  since: from?.since ?? null,
});

/** Only incoming transfers are payments; fees, cheques and outgoing money are not. */
function parseMovement(movement: z.infer<typeof Movement>): OutcomeRecord[] {
  const { amount, type, pending, sender_account: sender } = movement;
  if (amount <= 0 || type !== 'transfer' || pending) return [];
  return [
    {
      kind: 'outcome',
      externalId: movement.id,
      outcomeType: 'payment_received',
      occurredAt: instant(movement.transaction_date ?? movement.post_date),
      value: fromFintocUnits(amount, movement.currency),
      currency: movement.currency.toUpperCase(),
      person: {
        ...(sender?.holder_id && { rut: sender.holder_id }),
        ...(sender?.holder_name && { name: sender.holder_name }),
      },
    },
  ];
}

/** Chilean pesos are whole units; other currencies are in hundredths. */
const fromFintocUnits = (amount: number, currency: string): string =>
  currency.toUpperCase() === 'CLP'
    ? String(amount)
    : `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
