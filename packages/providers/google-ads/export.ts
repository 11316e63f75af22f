import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { GoogleCredentials } from '../google-oauth.ts';
import type { Account, Call, Export, ExportAnswer, ExportEvent, ExportFlaw, ProviderRequest } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { count } from '../read-answer.ts';
import { baseOf, requestJson } from '../request-json.ts';
import { faultOf } from './faults.ts';
import type { GoogleAdsSettings } from './settings.ts';

const dayMs = 86_400_000;
const oldestDays = 90;
const duplicate = 'PROCESSING_ERROR_REASON_DUPLICATE_TRANSACTION_ID';

const eventSources: Readonly<Record<string, string>> = {
  website: 'WEB',
  app: 'APP',
  physical_store: 'IN_STORE',
  phone_call: 'PHONE',
  business_messaging: 'MESSAGE',
  chat: 'MESSAGE',
};

const Ingested = z.object({ requestId: z.string() });
const Counts = z.array(z.object({ recordCount: count.default(0), reason: z.string().default('') })).default([]);
const Retrieved = z.object({
  requestStatusPerDestination: z
    .array(
      z.object({
        requestStatus: z.string(),
        errorInfo: z.object({ errorCounts: Counts }).optional(),
        warningInfo: z.object({ warningCounts: Counts }).optional(),
      }),
    )
    .default([]),
});

/**
 * Google's Data Manager API. It accepts or rejects a request as a whole by its format, then processes it later; the result is
 * polled. It drops transaction ids that it has processed before, so a duplicate counts once.
 */
export function createExport(settings: GoogleAdsSettings): Export<GoogleCredentials> {
  const base = `${baseOf(settings.dataManagerUrl)}/v1`;
  const headersFor = ({ credentials }: Account<GoogleCredentials>) => ({
    authorization: `Bearer ${credentials.accessToken}`,
    'content-type': 'application/json',
  });

  async function orRejected(answer: () => Promise<ExportAnswer>): Promise<ExportAnswer> {
    try {
      return await answer();
    } catch (error) {
      if (error instanceof ProviderFault && error.details.verdict === 'refused') {
        return { state: 'rejected', says: error.details.says };
      }
      throw error;
    }
  }
  const sendRequest = async <T>(request: ProviderRequest, schema: z.ZodType<T>, call: Call) =>
    (await requestJson(request, schema, call, faultOf)).body;

  return {
    maxEvents: 2_000,
    deduplicatesForMs: oldestDays * dayMs,
    oldestAt: (_, now) => new Date(now.getTime() - oldestDays * dayMs),
    findFlaw,

    prepare(events, dataset, account) {
      const owner = account.details.conversionCustomerId ?? account.externalId;
      const login = account.details.loginCustomerId;
      const accountOf = (accountId: string) => ({ accountType: 'GOOGLE_ADS', accountId });
      return JSON.stringify({
        destinations: [
          {
            operatingAccount: accountOf(owner),
            ...(login !== undefined && { loginAccount: accountOf(login) }),
            productDestinationId: dataset,
          },
        ],
        encoding: 'HEX',
        events: events.map(write),
      });
    },

    send: (account, _dataset, body, call) =>
      orRejected(async () => {
        const request = { method: 'POST', url: `${base}/events:ingest`, headers: headersFor(account), body } as const;
        return { state: 'processing', ticket: (await sendRequest(request, Ingested, call)).requestId };
      }),

    poll: (account, ticket, call) =>
      orRejected(async () => {
        const url = `${base}/requestStatus:retrieve?${new URLSearchParams({ requestId: ticket })}`;
        const { requestStatusPerDestination: [status] = [] } = await sendRequest(
          { method: 'GET', url, headers: headersFor(account) },
          Retrieved,
          call,
        );
        const errors = (status?.errorInfo?.errorCounts ?? []).map(
          ({ recordCount, reason }) => `${reason}: ${recordCount}`,
        );
        const warnings = (status?.warningInfo?.warningCounts ?? []).map(
          ({ recordCount, reason }) => `${reason}: ${recordCount}`,
        );
        // Google reports a duplicate as an error, which means that it has the event already. Any other error concerns an event
        // that it does not name.
        const isDuplicate = errors.length > 0 && errors.every((error) => error.startsWith(`${duplicate}:`));
        switch (status?.requestStatus) {
          case 'SUCCESS':
            return { state: 'accepted', warnings };
          case 'PARTIAL_SUCCESS':
          case 'FAILED':
            if (isDuplicate) return { state: 'accepted', warnings: [...errors, ...warnings] };
            return { state: 'rejected', says: errors.join(', ') || 'The Data Manager failed.' };
          default:
            return { state: 'processing', ticket };
        }
      }),
  };
}

function findFlaw(event: ExportEvent, _: Account<GoogleCredentials>, now: Date): ExportFlaw | undefined {
  if (event.occurredAt.getTime() < now.getTime() - oldestDays * dayMs) return 'too_old';
  if (event.occurredAt > now) return 'in_future';
  return identifiersOf(event).length === 0 && !clickOf(event) ? 'nobody_named' : undefined;
}

function write(event: ExportEvent): Record<string, unknown> {
  const identifiers = identifiersOf(event);
  const click = clickOf(event);
  const answer = (isGranted: boolean) => (isGranted ? 'CONSENT_GRANTED' : 'CONSENT_DENIED');
  return {
    transactionId: event.eventId,
    eventTimestamp: event.occurredAt.toISOString(),
    eventSource: eventSources[event.actionSource] ?? 'OTHER',
    ...(event.value !== undefined && { conversionValue: Number(event.value), currency: event.currency }),
    ...(click && { adIdentifiers: click }),
    ...(identifiers.length > 0 && { userData: { userIdentifiers: identifiers } }),
    ...(event.consent && {
      consent: {
        adUserData: answer(event.consent.adUserData),
        adPersonalization: answer(event.consent.adPersonalization),
      },
    }),
  };
}

/** An event may have only one click id; Google rejects a second. */
function clickOf({ clickIds: { gclid, gbraid, wbraid } }: ExportEvent): Record<string, string> | undefined {
  if (gclid !== undefined) return { gclid };
  if (gbraid !== undefined) return { gbraid };
  return wbraid === undefined ? undefined : { wbraid };
}

function identifiersOf({ person }: ExportEvent): Record<string, string>[] {
  const phone = (person?.phone ?? '').replace(/[^\d+]/g, '');
  return [
    ...(person?.email ? [{ emailAddress: hashed(emailOf(person.email)) }] : []),
    ...(/^\+\d{8,15}$/.test(phone) ? [{ phoneNumber: hashed(phone) }] : []),
  ];
}

/** Gmail ignores dots in the local part of an address. */
function emailOf(text: string): string {
  const email = text.trim().toLowerCase();
  const [local = '', domain = ''] = email.split('@');
  return ['gmail.com', 'googlemail.com'].includes(domain) ? `${local.replaceAll('.', '')}@${domain}` : email;
}

const hashed = (value: string): string =>
  /^[0-9a-f]{64}$/.test(value) ? value : createHash('sha256').update(value, 'utf8').digest('hex');
