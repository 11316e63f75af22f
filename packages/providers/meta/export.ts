import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Account, Export, ExportEvent, ExportFlaw } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { omitUndefined, readAs } from '../read-answer.ts';
import type { MetaCredentials } from './credentials.ts';
import type { Graph } from './graph.ts';

const dayMs = 86_400_000;
const oldestDays = 7;
const oldestDaysInStore = 62;

const Received = z.object({ events_received: z.number(), messages: z.array(z.string()).default([]) });

const AdSet = z.object({
  id: z.string(),
  effective_status: z.string().optional(),
  promoted_object: z.object({ pixel_id: z.string().optional() }).optional(),
});

/**
 * Meta's Conversions API. One event that is invalid or too old makes Meta reject the whole batch without naming it. So `flawOf`
 * checks events before they are sent.
 */
export function createExport(graph: Graph): Export<MetaCredentials> {
  return {
    maxEvents: 1_000,
    deduplicatesForMs: 2 * dayMs,
    oldestAt,
    findFlaw,

    prepare(events, _dataset, account) {
      return JSON.stringify({ data: events.map((event) => write(event, account)), partner_agent: 'tributary' });
    },

    async liveAdSets({ externalId, credentials }, dataset, call) {
      const fields = 'id,effective_status,promoted_object{pixel_id}';
      const rows = await graph.all(AdSet, `${externalId}/adsets`, { fields }, credentials.accessToken, call);
      return rows.filter((row) => row.effective_status === 'ACTIVE' && row.promoted_object?.pixel_id === dataset)
        .length;
    },

    async send({ credentials }, dataset, prepared, call) {
      try {
        const path = `${encodeURIComponent(dataset)}/events`;
        const { body } = await graph.postJson(path, prepared, credentials.accessToken, call);
        return { state: 'accepted', warnings: readAs(Received, body, 'events').messages };
      } catch (error) {
        if (error instanceof ProviderFault && error.details.verdict === 'refused') {
          return { state: 'rejected', says: error.details.says };
        }
        throw error;
      }
    },
  };
}

function oldestAt({ actionSource }: ExportEvent, now: Date): Date {
  return new Date(now.getTime() - (actionSource === 'physical_store' ? oldestDaysInStore : oldestDays) * dayMs);
}

function findFlaw(event: ExportEvent, account: Account<MetaCredentials>, now: Date): ExportFlaw | undefined {
  if (event.occurredAt < oldestAt(event, now)) return 'too_old';
  if (event.occurredAt > now) return 'in_future';
  const { client_user_agent: _, country, ...named } = userDataOf(event, account);
  if (Object.keys(named).length === 0) return 'nobody_named';
  if (event.actionSource !== 'website') return undefined;
  if (event.sourceUrl === undefined) return 'no_source_url';
  return event.userAgent === undefined ? 'no_user_agent' : undefined;
}

function write(event: ExportEvent, account: Account<MetaCredentials>): Record<string, unknown> {
  const isChat = event.actionSource === 'business_messaging' && !isMessaging(event, account);
  return {
    event_name: event.eventName,
    event_time: Math.floor(event.occurredAt.getTime() / 1000),
    event_id: event.eventId,
    action_source: isChat ? 'chat' : event.actionSource,
    ...(event.actionSource === 'website' && event.sourceUrl !== undefined && { event_source_url: event.sourceUrl }),
    ...(isMessaging(event, account) && { messaging_channel: 'whatsapp' }),
    user_data: userDataOf(event, account),
    ...(event.value !== undefined && { custom_data: { value: Number(event.value), currency: event.currency } }),
  };
}

/** Without the WhatsApp account and the click id there is no messaging event. */
const isMessaging = ({ actionSource, clickIds }: ExportEvent, { details }: Account<MetaCredentials>): boolean =>
  actionSource === 'business_messaging' &&
  details.whatsappBusinessAccountId !== undefined &&
  clickIds.ctwa_clid !== undefined;

function userDataOf(event: ExportEvent, account: Account<MetaCredentials>): Record<string, unknown> {
  const { person, clickIds, clickedAt, occurredAt, userAgent } = event;
  // Without Meta's cookie, its value is derived from the click.
  const fbc = clickIds.fbclid && `fb.1.${(clickedAt ?? occurredAt).getTime()}.${clickIds.fbclid}`;
  const { first, last } = namesOf(person?.name);
  const phone = (person?.phone ?? '').replace(/\D/g, '').replace(/^0+/, '');
  return {
    ...hashed('em', person?.email?.trim().toLowerCase()),
    ...hashed('ph', phone),
    ...hashed('fn', first),
    ...hashed('ln', last),
    ...hashed('external_id', person?.externalId),
    ...hashed('country', person?.country?.toLowerCase()),
    ...omitUndefined({ fbc: clickIds.fbc ?? fbc, fbp: clickIds.fbp }),
    ...(userAgent !== undefined && { client_user_agent: userAgent }),
    ...(isMessaging(event, account) && {
      whatsapp_business_account_id: account.details.whatsappBusinessAccountId,
      ctwa_clid: clickIds.ctwa_clid,
    }),
  };
}

/** Values that are hashes already are passed through. */
function hashed(name: string, value: string | undefined): Record<string, string[]> {
  if (value === undefined || value === '') return {};
  const isHash = /^[0-9a-f]{64}$/.test(value);
  return { [name]: [isHash ? value : createHash('sha256').update(value, 'utf8').digest('hex')] };
}

/** Meta expects first and last names in lower case; letters beyond ASCII stay unchanged. */
function namesOf(name: string | undefined): { readonly first: string | undefined; readonly last: string | undefined } {
  const words = (name ?? '')
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return { first: words[0], last: words.length > 1 ? words.slice(1).join(' ') : undefined };
}
