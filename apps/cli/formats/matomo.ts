import { type Cells, cells, type Format, momentOf, part } from './format.ts';

/** Matomo's visits with their actions (`Live.getLastVisitsDetails`), one visit per line: orders and reached goals. */
export const matomo: Format = {
  written: 'json-lines',
  outcomesOf: (visit, rename) => {
    const actions = Array.isArray(visit.actionDetails) ? visit.actionDetails.map(part) : [];
    return actions.flatMap((action, index): Cells[] => {
      const theirs = action.type === 'goal' ? String(action.goalName) : action.type === 'ecommerceOrder' ? orders : '';
      const name = rename ? rename.get(theirs) : theirs === orders ? 'payment_received' : theirs;
      if (!name) return [];
      const money = Number(action.revenue) > 0 && { value: action.revenue, currency: visit.siteCurrency };
      return [
        cells({
          event_name: name,
          occurred_at: momentOf(action.timestamp, 'seconds'),
          idempotency_key: theirs === orders ? `matomo-${action.orderId}` : `matomo-${visit.idVisit}-${index}`,
          ...money,
          external_id: visit.userId,
          page_url: action.url,
        }),
      ];
    });
  },
};

/** The name of orders in `--events`. */
const orders = 'order';
