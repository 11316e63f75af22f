import type { Book } from './one-sale-book.ts';
import type { Shop } from './one-sale-shop.ts';

interface SaleMatchResponse {
  readonly id: string;
  readonly decision: { readonly decision: 'confirmed' | 'rejected' } | null;
  readonly records: readonly { readonly external_id: string }[];
}

/** Decides each pair that no rule can decide, as a member does. Resolves to the ids of the decided matches. */
export async function decide(shop: Shop, book: Book): Promise<string[]> {
  const wanted = new Map<string, 'confirm' | 'reject'>();
  for (const { records, undecided } of book.sales)
    if (undecided)
      for (const { key } of records) wanted.set(key, undecided.decision === 'confirmed' ? 'confirm' : 'reject');
  const decided: string[] = [];
  for (const state of ['suggested', 'automatic'])
    for (const { id, records } of await listMatches(shop, state)) {
      const action = wanted.get(records[0]?.external_id ?? '');
      if (!action || (state === 'automatic') !== (action === 'reject')) continue;
      await shop.post(`/api/v1/sale-matches/${id}/${action}`, {});
      decided.push(id);
    }
  return decided;
}

export async function undoDecisions(shop: Shop, decided: readonly string[]): Promise<void> {
  for (const id of decided) await shop.post(`/api/v1/sale-matches/${id}/undo`, {});
}

/** Rejects all matches between the server and the provider at once. Resolves to the id of the batch, for its undo. */
export async function rejectAll(shop: Shop): Promise<string | null> {
  const source = `payments_a:${shop.connections.stripe}`;
  const body = { decision: 'rejected', state: 'automatic', source, other_source: 'api' };
  const { id } = await shop.post('/api/v1/sale-matches/decisions', body);
  return id;
}

export const undoAll = (shop: Shop, batch: string) => shop.post(`/api/v1/sale-matches/decisions/${batch}/undo`, {});

async function listMatches(shop: Shop, state: string): Promise<SaleMatchResponse[]> {
  const found: SaleMatchResponse[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await shop.ask(
      `/api/v1/sale-matches?state=${state}&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (status !== 200) throw new Error(JSON.stringify(body));
    found.push(...body.data);
    if (!body.pagination.has_next) return found;
    cursor = body.pagination.cursor;
  }
}
