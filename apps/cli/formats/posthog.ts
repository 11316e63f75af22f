import { cells, type Format, momentOf, part } from './format.ts';

/** PostHog's event export: JSON, one event per line. Built-in events begin with `$` and are skipped. */
export const posthog: Format = {
  written: 'json-lines',
  outcomesOf: (event, rename) => {
    const theirs = String(event.event ?? '');
    const name = rename ? rename.get(theirs) : theirs.startsWith('$') ? undefined : theirs;
    if (!name) return [];
    const properties = readPart(event.properties);
    const person = { ...part(properties.$set), ...readPart(event.person_properties) };
    return [
      cells({
        event_name: name,
        occurred_at: momentOf(event.timestamp, 'text'),
        idempotency_key: `posthog-${event.uuid}`,
        value: properties.revenue ?? properties.value ?? properties.amount,
        currency: properties.currency,
        external_id: event.distinct_id,
        email: person.email ?? person.$email,
        phone: person.phone,
        first_name: person.first_name,
        last_name: person.last_name,
        page_url: properties.$current_url,
        gclid: properties.gclid ?? properties.$gclid,
        fbclid: properties.fbclid ?? properties.$fbclid,
      }),
    ];
  },
};

/** Some destinations store properties as a JSON string. */
function readPart(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'string') return part(value);
  try {
    return part(JSON.parse(value));
  } catch {
    return {};
  }
}
