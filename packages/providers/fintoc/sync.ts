import { dayMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Heard } from '../ask.ts';
import type { Call, SaidOutcome, Sync } from '../provider.ts';
import { instant } from '../read-answer.ts';
import type { FintocCredentials } from './credentials.ts';

/** Movements are listed newest first by page numbers: one that comes meanwhile moves the others back, so a page may repeat rows and misses none. */
export const FintocPosition = z.object({
  startedAt: z.string(),
  page: z.number(),
  /** Days before are known already; null: none are. */
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

type Get = <T>(path: string, params: Record<string, string>, schema: z.ZodType<T>, call: Call) => Promise<Heard<T>>;

const rowsAPage = 300;
/** Banks post late: the last week is read again. */
const overlapMs = 7 * dayMs;

export const createSync = (get: Get): Sync<FintocCredentials, FintocPosition> =>
  async function* sync({ externalId, credentials }, from, call) {
    let position = from && from.page > 1 ? from : { ...begin(from, call.now) };
    for (let isLast = false; !isLast; ) {
      const { page, since } = position;
      const asked = {
        link_token: credentials.linkToken,
        per_page: String(rowsAPage),
        page: String(page),
        confirmed_only: 'true',
        ...(since && { since }),
      };
      const path = `/accounts/${encodeURIComponent(externalId)}/movements`;
      const { body: rows } = await get(path, asked, z.array(Movement), call);
      isLast = rows.length < rowsAPage;
      const readOn = new Date(Date.parse(position.startedAt) - overlapMs).toISOString().slice(0, 10);
      position = isLast ? { ...position, page: 1, since: readOn } : { ...position, page: page + 1 };
      yield { said: rows.flatMap(sayMovement), position, progress: isLast ? 1 : 0.5 };
    }
  };

const begin = (from: FintocPosition | null, now: Date): FintocPosition => ({
  startedAt: now.toISOString(),
  page: 1,
  since: from?.since ?? null,
});

/** Money that came in by a transfer. Fees, cheques and whatever went out are no sale. */
function sayMovement(movement: z.infer<typeof Movement>): SaidOutcome[] {
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

/** Whole pesos of Chile; hundredths of other currencies. */
const fromFintocUnits = (amount: number, currency: string): string =>
  currency.toUpperCase() === 'CLP'
    ? String(amount)
    : `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
