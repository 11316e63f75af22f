import type { Exportable } from '@tributary/domain/outcomes';
import type { ExportEvent } from '@tributary/providers';
import { isOpaqueKey, netOf } from '@tributary/rules';
import { clickIdKindNames, clickIdKinds } from '@tributary/vocabulary';
import type { TargetRow } from './store.ts';

/** An event and where it goes. */
export interface Composed {
  readonly outcomeId: string;
  readonly customerId: string | null;
  readonly dataset: string;
  readonly event: ExportEvent;
}

interface Said {
  readonly properties?: {
    readonly client_user_agent?: unknown;
    readonly consent?: { readonly ad_user_data?: unknown; readonly ad_personalization?: unknown };
  };
  readonly action_source?: unknown;
  readonly click_ids?: Readonly<Record<string, unknown>> | null;
  readonly page_url?: unknown;
}

/** What a platform is told of an outcome, but for the person; undefined where the catalog does not list it, or nobody may be told. */
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
  const said = outcome.rest as Said;
  const clickIds = clicksOf(said);
  const { actionSource, isMessaging } = sourceOf(said, outcome, target, clickIds);
  const consent = said.properties?.consent;
  const agent = text(said.properties?.client_user_agent);
  const isWebsite = actionSource === 'website';
  const event: ExportEvent = {
    eventId: eventIdOf(outcome),
    eventName,
    occurredAt: outcome.occurredAt,
    actionSource,
    ...(outcome.amount !== null && {
      value: netOf(outcome.amount, outcome.refunded),
      currency: outcome.currency ?? undefined,
    }),
    // A page may tell what somebody looked for; where people are nobody's business, which site it was is enough.
    ...(isWebsite && { sourceUrl: pageOf(said.page_url, isPrivate) }),
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
 * The caller's own key of the event, so that a pixel that tells of it under the same id counts once with it; where that could say
 * who somebody is, ours. Both are the same at every attempt.
 */
const eventIdOf = ({ id, idempotencyKey }: Exportable): string =>
  idempotencyKey.length <= 100 && isOpaqueKey(idempotencyKey) ? idempotencyKey : id;

/** As it was said. A chat counts as one that an ad opened only where both its click and the account's dataset are known. */
function sourceOf(said: Said, outcome: Exportable, target: TargetRow, clickIds: Readonly<Record<string, string>>) {
  const isMessaging =
    said.action_source === 'business_messaging' && Boolean(clickIds.ctwa_clid && target.messaging_dataset);
  if (said.action_source === 'business_messaging')
    return { actionSource: isMessaging ? 'business_messaging' : 'chat', isMessaging };
  const named = text(said.action_source);
  const isOnSite = text(said.page_url) && text(said.properties?.client_user_agent);
  return {
    actionSource: named ?? (isOnSite ? 'website' : outcome.visitorId ? 'other' : 'system_generated'),
    isMessaging,
  };
}

function clicksOf({ click_ids }: Said): Record<string, string> {
  return Object.fromEntries(
    clickIdKindNames.flatMap((kind) => {
      const value = text(click_ids?.[kind]);
      const parameter = clickIdKinds[kind].parameter;
      // A cookie holds the link's id behind three words of its own.
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
