import { refuse } from '@tributary/operations';
import type { EntityLevel } from '@tributary/vocabulary';
import { isArchived } from './ad-state.ts';
import { appliedBy } from './applied-by.ts';
import type { Live, Plan } from './request.ts';
import type { AdContext } from './services.ts';
import { performOne } from './single.ts';
import { findLastApplied } from './store.ts';

interface StatusChangeBody {
  readonly applied_by?: string | undefined;
  readonly dry_run: boolean;
  readonly connection_id?: string | undefined;
}

/** Pauses or resumes a campaign or ad with one write; ads below a campaign are not changed. */
export async function changeStatus(
  context: AdContext,
  kind: 'pause' | 'resume',
  level: Extract<EntityLevel, 'campaign' | 'ad'>,
  externalId: string,
  body: StatusChangeBody,
) {
  return performOne(context, {
    kind,
    level,
    externalId,
    connectionId: body.connection_id,
    appliedBy: await appliedBy(context, body.applied_by),
    isDryRun: body.dry_run,
    plan: (live) => planStatus(context, kind, live),
  });
}

async function planStatus({ ledger, caller }: AdContext, kind: 'pause' | 'resume', live: Live): Promise<Plan> {
  const { entity, act, account, call } = live;
  if (isArchived(live.live)) refuseArchived(kind, entity.level, live.live.status);
  const status = kind === 'pause' ? 'PAUSED' : 'ACTIVE';
  // If the current status results from our last action, the opposite action undoes it.
  const last = await ledger.transaction((tx) => findLastApplied(tx, caller.profileId, entity, ['pause', 'resume']), {
    readOnly: true,
  });
  return {
    wanted: { status },
    undoes: last && last.kind !== kind && last.after?.status === live.live.status ? last.id : undefined,
    write: () => act.setStatus(account, entity, status, call),
  };
}

/** Refuses to pause or resume an archived or deleted campaign or ad. */
export function refuseArchived(kind: 'pause' | 'resume', level: EntityLevel, status: string): never {
  const words = `It is ${status} at the platform.`;
  if (level !== 'campaign') refuse('invalid_state', words, { fields: { reason: 'archived_or_deleted' } });
  return refuse(kind === 'pause' ? 'campaign_not_pausable' : 'campaign_not_resumable', words);
}
