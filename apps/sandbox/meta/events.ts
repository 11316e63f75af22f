import type { CompanyDeps } from '../company.ts';
import { json, type Reply, type Route } from '../route.ts';
import { sharedBy } from './accounts.ts';
import { metaError, withToken } from './envelope.ts';
import { unknownNode } from './nodes.ts';
import type { MetaState } from './state.ts';

export interface MetaEvent {
  readonly dataset: string;
  readonly event_name: string;
  readonly event_time: number;
  readonly event_id?: string;
  readonly action_source: string;
  readonly event_source_url?: string;
  readonly user_data: Readonly<Record<string, unknown>>;
  readonly custom_data?: { readonly value?: number; readonly currency?: string };
}

/** The events that Meta received, without duplicates within 48 hours. */
export interface EventBook {
  readonly kept: MetaEvent[];
  /** The number of duplicates that were left out. */
  copies: number;
  /** Events that are rejected together with their batch. */
  readonly poisoned: Set<string>;
}

const dayMs = 86_400_000;
const deduplicatesForMs = 2 * dayMs;
const mostEvents = 1_000;
const sources = 'email website app phone_call chat physical_store system_generated business_messaging other'.split(' ');
const hashedFields = 'em ph fn ln ct st zp country ge db'.split(' ');
/** On their own, these fields do not identify a person. */
const tooWeak = 'client_user_agent ct st zp country ge db'.split(' ');

export function createEvents(
  deps: CompanyDeps,
  state: () => MetaState,
): { readonly routes: readonly Route[]; readonly book: EventBook } {
  const book: EventBook = { kept: [], copies: 0, poisoned: new Set() };
  const seen = new Map<string, number>();

  function keep(event: MetaEvent): void {
    const at = deps.now().getTime();
    const key = [event.dataset, event.event_name, event.event_id].join(' ');
    if (event.event_id !== undefined && at - (seen.get(key) ?? Number.NEGATIVE_INFINITY) < deduplicatesForMs) {
      book.copies += 1;
      return;
    }
    seen.set(key, at);
    book.kept.push(event);
  }

  const route: Route = {
    method: 'POST',
    path: '/meta/:version/:dataset/events',
    handle: withToken(deps, (request, grant) => {
      const dataset = request.params.dataset ?? '';
      const isMine = sharedBy(state(), grant).some(({ pixels }) => pixels.some(({ id }) => id === dataset));
      if (!isMine) return unknownNode(dataset);
      const { data } = JSON.parse(request.body) as { data: MetaEvent[] };
      if (data.length > mostEvents) return metaError({ code: 100, message: 'At most 1000 events.' });
      // One bad event makes Meta reject the whole batch without naming the event.
      const isPoisoned = data.some(({ event_id }) => book.poisoned.has(event_id ?? ''));
      if (isPoisoned) return metaError({ code: 100, message: 'Invalid parameter' });
      const refused = data.map((event) => refusalOf(event, deps.now())).find((reply) => reply !== undefined);
      if (refused) return refused;
      for (const event of data) keep({ ...event, dataset });
      return json(200, { events_received: data.length, messages: [], fbtrace_id: 'Asandbox' });
    }),
  };
  return { routes: [route], book };
}

function refusalOf(event: MetaEvent, now: Date): Reply | undefined {
  const refuse = (subcode: number, userMessage: string) =>
    metaError({ code: 100, subcode, message: 'Invalid parameter', userMessage });
  if (!event.event_name || !Number.isInteger(event.event_time))
    return refuse(2_804_050, 'An event lacks its name or time.');
  if (!sources.includes(event.action_source)) return refuse(2_804_050, 'action_source is none of the nine.');
  const days = event.action_source === 'physical_store' ? 62 : 7;
  if (event.event_time * 1000 < now.getTime() - days * dayMs)
    return refuse(2_804_003, `An event is older than ${days} days.`);
  if (event.event_time * 1000 > now.getTime() + 60_000) return refuse(2_804_004, 'An event is in the future.');
  const names = Object.keys(event.user_data ?? {});
  if (names.every((name) => tooWeak.includes(name))) return refuse(2_804_050, 'Nothing says whose event it is.');
  for (const name of names.filter((one) => hashedFields.includes(one))) {
    const values = [event.user_data[name]].flat();
    if (!values.every((value) => /^[0-9a-f]{64}$/.test(String(value))))
      return refuse(2_804_050, `${name} is not hashed.`);
  }
  if (event.action_source !== 'website') return undefined;
  if (!event.event_source_url) return refuse(2_804_050, 'A website event lacks event_source_url.');
  return names.includes('client_user_agent')
    ? undefined
    : refuse(2_804_050, 'A website event lacks client_user_agent.');
}
