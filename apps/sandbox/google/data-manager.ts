import type { CompanyDeps } from '../company.ts';
import { json, type Reply, type Route, type SandboxRequest } from '../route.ts';
import { rpcError, scopeOf, withScope } from './oauth.ts';
import type { GoogleState } from './state.ts';

export interface GoogleEvent {
  readonly transactionId: string;
  readonly eventTimestamp: string;
  readonly eventSource: string;
  readonly conversionValue?: number;
  readonly currency?: string;
  readonly adIdentifiers?: Readonly<Record<string, string>>;
  readonly userData?: { readonly userIdentifiers: readonly Readonly<Record<string, string>>[] };
}

/** The events that the Data Manager received, each transaction once. */
export interface GoogleEventBook {
  readonly kept: GoogleEvent[];
  copies: number;
  /** Transactions that are accepted first and rejected during processing. */
  readonly poisoned: Set<string>;
}

interface Ingest {
  readonly events: readonly GoogleEvent[];
  readonly destinations: readonly { operatingAccount: { accountId: string }; productDestinationId: string }[];
}

const dayMs = 86_400_000;
const mostEvents = 2_000;
const oldestDays = 90;

export function createDataManager(
  deps: CompanyDeps,
  state: () => GoogleState,
): { readonly routes: readonly Route[]; readonly book: GoogleEventBook } {
  const book: GoogleEventBook = { kept: [], copies: 0, poisoned: new Set() };
  const seen = new Set<string>();
  const requests = new Map<
    string,
    { polls: number; readonly errors: ReadonlyMap<string, number>; readonly count: number }
  >();

  function ingest(request: SandboxRequest): Reply {
    const { events, destinations } = JSON.parse(request.body) as Ingest;
    const target = destinations[0];
    if (
      !target ||
      !state().customers.some(({ conversionAction }) => conversionAction === target.productDestinationId)
    ) {
      return refuse('INVALID_CONVERSION_ACTION_ID');
    }
    if (events.length > mostEvents) return refuse('TOO_MANY_EVENTS');
    for (const event of events) {
      const people = event.userData?.userIdentifiers ?? [];
      if (people.length === 0 && !event.adIdentifiers) return refuse('NO_IDENTIFIERS_PROVIDED');
      const isHashed = people.flatMap((one) => Object.values(one)).every((value) => /^[0-9a-f]{64}$/.test(value));
      if (!isHashed) return refuse('INVALID_HEX_ENCODING');
      if (Number.isNaN(Date.parse(event.eventTimestamp))) return refuse('EVENT_TIME_INVALID');
    }
    const errors = new Map<string, number>();
    const fail = (reason: string) => errors.set(reason, (errors.get(reason) ?? 0) + 1);
    for (const event of events) {
      const key = `${target.productDestinationId} ${event.transactionId}`;
      if (Date.parse(event.eventTimestamp) < deps.now().getTime() - oldestDays * dayMs)
        fail('PROCESSING_ERROR_REASON_EVENT_TOO_OLD');
      else if (book.poisoned.has(event.transactionId)) fail('PROCESSING_ERROR_REASON_INVALID_CONVERSION_ACTION');
      else if (seen.has(key)) {
        book.copies += 1;
        fail('PROCESSING_ERROR_REASON_DUPLICATE_TRANSACTION_ID');
      } else {
        seen.add(key);
        book.kept.push(event);
      }
    }
    const requestId = `sandbox-${requests.size + 1}`;
    requests.set(requestId, { polls: 0, errors, count: events.length });
    return json(200, { requestId });
  }

  function retrieve(request: SandboxRequest): Reply {
    const stored = requests.get(request.query.get('requestId') ?? '');
    if (!stored) return rpcError(404, 'NOT_FOUND', 'There is no such request.');
    stored.polls += 1;
    const failed = [...stored.errors.values()].reduce((sum, count) => sum + count, 0);
    const end = failed === 0 ? 'SUCCESS' : failed < stored.count ? 'PARTIAL_SUCCESS' : 'FAILED';
    const errorCounts = [...stored.errors].map(([reason, count]) => ({ recordCount: String(count), reason }));
    return json(200, {
      requestStatusPerDestination: [
        {
          requestStatus: stored.polls < 2 ? 'PROCESSING' : end,
          ...(stored.polls >= 2 && failed > 0 && { errorInfo: { errorCounts } }),
          eventsIngestionStatus: { recordCount: String(stored.count) },
        },
      ],
    });
  }

  return {
    routes: [
      {
        method: 'POST',
        path: '/google/datamanager/v1/events:ingest',
        handle: withScope(deps, scopeOf.dataManager, ingest),
      },
      {
        method: 'GET',
        path: '/google/datamanager/v1/requestStatus:retrieve',
        handle: withScope(deps, scopeOf.dataManager, retrieve),
      },
    ],
    book,
  };
}

const refuse = (reason: string): Reply =>
  rpcError(400, 'INVALID_ARGUMENT', `There was a problem with the request: ${reason}`, [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'datamanager.googleapis.com' },
  ]);
