import { json, type Reply, type SandboxRequest } from '../route.ts';
import type { StripeCharge, StripeEvent } from './state.ts';

/** Newest first, between the cursors. */
export function listPage({ path, query }: SandboxRequest, rows: readonly { id: string; created: number }[]): Reply {
  const limit = Number(query.get('limit') ?? 10);
  if (!(limit >= 1 && limit <= 100)) return refused(400, 'parameter_invalid_integer', 'limit is out of range');
  const types = query.getAll('types[]');
  const since = Number(query.get('created[gte]') ?? 0);
  const until = Number(query.get('created[lt]') ?? Number.POSITIVE_INFINITY);
  const all = rows
    .filter(
      (row) =>
        row.created >= since &&
        row.created < until &&
        (types.length === 0 || types.includes((row as StripeEvent).type)),
    )
    .toReversed();
  const [after, before] = [query.get('starting_after'), query.get('ending_before')];
  const place = all.findIndex(({ id }) => id === (after ?? before));
  if ((after ?? before) !== null && place < 0) {
    return refused(400, 'resource_missing', `No such object: '${after ?? before}'`);
  }
  const [begin, end] = before === null ? [place + 1, place + 1 + limit] : [Math.max(0, place - limit), place];
  const data = all.slice(begin, end).map((row) => expandRow(row, query.getAll('expand[]')));
  const hasMore = before === null ? end < all.length : begin > 0;
  return json(200, { object: 'list', data, has_more: hasMore, url: path.replace('/stripe', '') });
}

/** Customers and the sources of balance movements are ids unless expanded. */
export function expandRow(row: object, expand: readonly string[]): object {
  if ('source' in row) {
    const charge = row.source as StripeCharge;
    return { ...row, source: expand.includes('data.source') ? expandRow(charge, []) : charge.id };
  }
  const charge = row as Partial<StripeCharge>;
  return charge.object === 'charge' && !expand.includes('data.customer')
    ? { ...row, customer: charge.customer?.id ?? null }
    : row;
}

export const refused = (status: number, code: string | undefined, message: string): Reply =>
  json(status, { error: { type: 'invalid_request_error', code, message } }, { 'request-id': 'req_sandbox' });
