import type { Exportable } from '@tributary/domain/commerce/outcomes';
import type { ExportEvent } from '@tributary/providers';
import { isOpaqueKey, netAmount } from '@tributary/rules';
import { clickIdKindNames, clickIdKinds } from '@tributary/vocabulary';
import type { TargetRow } from './store.ts';

/** An event and its target dataset. */
export interface Composed {
  readonly outcomeId: string;
  readonly customerId: string | null;
  readonly dataset: string;
  readonly event: ExportEvent;
}

interface OutcomeFields {
  readonly properties?: {
    readonly client_user_agent?: unknown;
    readonly consent?: { readonly ad_user_data?: unknown; readonly ad_personalization?: unknown };
  };
  readonly action_source?: unknown;
  readonly click_ids?: Readonly<Record<string, unknown>> | null;
  readonly page_url?: unknown;
}

/**
 * Builds the event for an outcome, without customer data. Returns a reason if the catalog does not list the outcome or it must not be sent.
 */
export function compose(
  outcome: Exportable,
  target: TargetRow,
  keyOf: (definitionId: string) => string | undefined,
  isPrivate: boolean,
): Composed | 'not_listed' | 'erased' {
  const key = outcome.definitionId ? keyOf(outcome.definitionId) : undefined;
  const eventName = key && (target.events as Readonly<Record<string, string>>)[key];
  if (!eventName) return 'not_listed';
  if (outcome.isErased) return 'erased';
  const fields = outcome.rest as OutcomeFields;
  const clickIds = clicksOf(fields);
  const { actionSource, isMessaging } = sourceOf(fields, outcome, target, clickIds);
  const consent = fields.properties?.consent;
  const agent = text(fields.properties?.client_user_agent);
  const isWebsite = actionSource === 'website';
  const event: ExportEvent = {
    eventId: eventIdOf(outcome),
    eventName,
    occurredAt: outcome.occurredAt,
    actionSource,
    ...(outcome.amount !== null && {
      value: netAmount(outcome.amount, outcome.refunded),
      currency: outcome.currency ?? undefined,
    }),
    // A page URL may reveal what a visitor looked for; a private profile sends only the origin.
    ...(isWebsite && { sourceUrl: pageOf(fields.page_url, isPrivate) }),
    ...(isWebsite && !isPrivate && agent && { userAgent: agent }),
    clickIds,
    ...(consent && {
      consent: { adUserData: consent.ad_user_data === true, adPersonalization: consent.ad_personalization === true },
    }),
  };
  const own = target.uses_clean && target.clean_dataset ? target.clean_dataset : target.dataset;
  const dataset = isMessaging && target.messaging_dataset ? target.messaging_dataset : own;
  return { outcomeId: outcome.id, customerId: outcome.customerId, dataset, event };
}

/**
 * The caller's own key, so that the platform deduplicates it with a pixel event of the same id; the outcome id if the key could contain
 * personal data. Both are the same at every attempt.
 */
const eventIdOf = ({ id, idempotencyKey }: Exportable): string =>
  idempotencyKey.length <= 100 && isOpaqueKey(idempotencyKey) ? idempotencyKey : id;

/**
 * The action_source as reported. A chat counts as business_messaging only if both its click id and the account's messaging dataset are
 * known.
 */
function sourceOf(
  fields: OutcomeFields,
  outcome: Exportable,
  target: TargetRow,
  clickIds: Readonly<Record<string, string>>,
) {
  const isMessaging =
    fields.action_source === 'business_messaging' && Boolean(clickIds.ctwa_clid && target.messaging_dataset);
  if (fields.action_source === 'business_messaging')
    return { actionSource: isMessaging ? 'business_messaging' : 'chat', isMessaging };
  const named = text(fields.action_source);
  const isOnSite = text(fields.page_url) && text(fields.properties?.client_user_agent);
  return {
    actionSource: named ?? (isOnSite ? 'website' : outcome.visitorId ? 'other' : 'system_generated'),
    isMessaging,
  };
}

function clicksOf({ click_ids }: OutcomeFields): Record<string, string> {
  return Object.fromEntries(
    clickIdKindNames.flatMap((kind) => {
      const value = text(click_ids?.[kind]);
      const parameter = clickIdKinds[kind].parameter;
      // The cookie prefixes the click id of the URL with three fields.
      const id = kind === 'fbc' ? value?.split('.').slice(3).join('.') : value;
      return id && parameter ? [[parameter, id]] : [];
    }),
  );
}

function pageOf(url: unknown, isPrivate: boolean): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (!parsed) return undefined;
  return isPrivate ? `${parsed.origin}/` : `${parsed.origin}${parsed.pathname}`;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
