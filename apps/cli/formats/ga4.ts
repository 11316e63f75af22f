import { cells, type Format, momentOf, part } from './format.ts';

/** Google Analytics 4's BigQuery export: JSON, one event per line. */
export const ga4: Format = {
  written: 'json-lines',
  outcomesOf: (event, rename = usual) => {
    const name = rename.get(String(event.event_name));
    if (!name) return [];
    const parameters = parametersOf(event.event_params);
    const order = part(event.ecommerce);
    const transaction = unlessNotSet(order.transaction_id) ?? unlessNotSet(parameters.transaction_id);
    const isRefund = event.event_name === 'refund';
    const key = transaction && `ga4-${transaction}`;
    const clicked = part(event.collected_traffic_source);
    return [
      cells({
        event_name: name,
        occurred_at: momentOf(event.event_timestamp, 'microseconds'),
        idempotency_key:
          key && isRefund ? `${key}-refund` : (key ?? `ga4-${event.user_pseudo_id}-${event.event_timestamp}-${name}`),
        ...(isRefund && { refund_of: key }),
        value: (isRefund ? order.refund_value : order.purchase_revenue) ?? parameters.value,
        currency: parameters.currency,
        external_id: event.user_id,
        page_url: parameters.page_location,
        gclid: clicked.gclid,
      }),
    ];
  },
};

const usual = new Map([
  ['purchase', 'payment_received'],
  ['refund', 'refund'],
  ['generate_lead', 'generate_lead'],
  ['sign_up', 'sign_up'],
]);

/** Google writes "(not set)" for missing values. */
const unlessNotSet = (value: unknown): string | undefined =>
  value && value !== '(not set)' ? String(value) : undefined;

/** Converts `[{key, value: {string_value | int_value | double_value | float_value}}]` to an object. */
function parametersOf(list: unknown): Record<string, unknown> {
  const pairs = (Array.isArray(list) ? list : []).map((one) => {
    const { string_value, int_value, double_value, float_value } = part(part(one).value);
    return [String(part(one).key), string_value ?? int_value ?? double_value ?? float_value];
  });
  return Object.fromEntries(pairs);
}
