import { refuse } from '@tributary/operations';
import type { EntityLevel } from '@tributary/vocabulary';
import { isOver } from './ad-state.ts';
import { appliedBy } from './applied-by.ts';
import type { Live, Plan } from './request.ts';
import type { AdContext } from './services.ts';
import { performOne } from './single.ts';
import { findLastApplied } from './store.ts';

interface Said {
  readonly applied_by?: string | undefined;
  readonly dry_run: boolean;
  readonly connection_id?: string | undefined;
}

/** Pauses or resumes a campaign or an ad: one write on it, and none on what stands under it. */
export async function changeStatus(
  context: AdContext,
  kind: 'pause' | 'resume',
  level: Extract<EntityLevel, 'campaign' | 'ad'>,
  externalId: string,
  said: Said,
) {
  return performOne(context, {
    kind,
    level,
    externalId,
    connectionId: said.connection_id,
    appliedBy: await appliedBy(context, said.applied_by),
    isDryRun: said.dry_run,
    plan: (live) => planStatus(context, kind, live),
  });
}

async function planStatus({ ledger, caller }: AdContext, kind: 'pause' | 'resume', live: Live): Promise<Plan> {
  const { entity, act, account, call } = live;
  if (isOver(live.live)) refuseOver(kind, entity.level, live.live.status);
  const status = kind === 'pause' ? 'PAUSED' : 'ACTIVE';
  // What stands as our last action left it is taken back by the opposite one.
  const last = await ledger.transaction((tx) => findLastApplied(tx, caller.profileId, entity, ['pause', 'resume']), {
    readOnly: true,
  });
  return {
    wanted: { status },
    undoes: last && last.kind !== kind && last.after?.status === live.live.status ? last.id : undefined,
    write: () => act.setStatus(account, entity, status, call),
  };
}

/** Why a campaign or ad that is archived or deleted can neither be paused nor resumed. */
export function refuseOver(kind: 'pause' | 'resume', level: EntityLevel, status: string): never {
  const words = `It is ${status} at the platform.`;
  if (level !== 'campaign') refuse('invalid_state', words, { fields: { reason: 'archived_or_deleted' } });
  return refuse(kind === 'pause' ? 'campaign_not_pausable' : 'campaign_not_resumable', words);
}
