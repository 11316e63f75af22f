import type { ActionOutcome } from '@tributary/vocabulary';
import type { AdState } from './ad-state.ts';
import type { ListedAction } from './list-store.ts';
import type { Action } from './store.ts';

export interface Undo {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** The request that undoes a change; null if there is nothing to undo. */
export function undoOf(action: Pick<Action, 'id' | 'kind' | 'level' | 'externalId' | 'state' | 'before'>): Undo | null {
  if (action.state !== 'applied') return null;
  return undoCall(action);
}

export function undoCall({
  id,
  kind,
  level,
  externalId,
  before,
}: Pick<Action, 'id' | 'kind' | 'level' | 'externalId' | 'before'>): Undo | null {
  const folder = level === 'campaign' ? 'campaigns' : 'ads';
  const path = (what: string) => `/api/v1/${folder}/${encodeURIComponent(externalId)}/${what}`;
  switch (kind) {
    case 'pause':
      return { method: 'POST', path: path('resume'), body: {} };
    case 'resume':
      return { method: 'POST', path: path('pause'), body: {} };
    case 'budget':
      return {
        method: 'POST',
        path: `/api/v1/${level === 'campaign' ? 'campaigns' : 'adsets'}/${encodeURIComponent(externalId)}/budget`,
        body: { daily_budget_minor: before?.daily_budget_minor ?? null, undoes: id },
      };
    case 'url_tags':
      return { method: 'POST', path: '/api/v1/quality/ad-ids/url-tags/undo', body: { ad_id: externalId } };
    case 'url_tags_undo':
      return {
        method: 'POST',
        path: '/api/v1/quality/ad-ids/url-tags/apply',
        body: { ad_ids: [externalId], acknowledge_learning_reset: true },
      };
  }
}

/** Whether platforms may restart the learning phase after such a change. */
export const mayRestartLearning = ({ kind }: Pick<Action, 'kind'>): boolean =>
  kind === 'budget' || kind === 'url_tags' || kind === 'url_tags_undo';

/** The response for an ended action. */
export function answerOf(action: Action) {
  const isChanged = action.state === 'applied';
  return {
    outcome: isChanged ? ('applied' as const) : ('no_change' as const),
    action_id: action.id,
    platform: action.platform,
    external_id: action.externalId,
    before: action.before as AdState,
    after: action.after as AdState,
    undo: undoOf(action),
    undoes_action_id: isChanged ? action.undoes : null,
    affected_ads_count: isChanged ? (action.affectedAds ?? 0) : 0,
    may_restart_learning: isChanged && mayRestartLearning(action),
    applied_by: action.appliedBy,
  };
}
export type ActionAnswer = Omit<ReturnType<typeof answerOf>, 'outcome' | 'action_id'> & {
  readonly outcome: ActionOutcome;
  readonly action_id: string | null;
};

export const toActionResponse = ({ action, name, entries }: ListedAction) => ({
  id: action.id,
  kind: action.kind,
  state: action.state,
  platform: action.platform,
  level: action.level,
  external_id: action.externalId,
  name,
  connection_id: action.connectionId,
  before: action.before,
  after: action.after,
  reason: action.reason,
  affected_ads_count: action.affectedAds,
  undo: undoOf(action),
  undoes_action_id: action.undoes,
  applied_by: action.appliedBy,
  actor: { kind: action.actorKind, id: action.actorId },
  created_at: action.createdAt.toISOString(),
  entries: entries.map(({ stage, at, reason, providerCode, requestId }) => ({
    stage,
    at: at.toISOString(),
    reason,
    provider_code: providerCode,
    request_id: requestId,
  })),
});
