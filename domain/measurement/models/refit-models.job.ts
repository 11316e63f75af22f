import { limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { type Fitting, fitModels, spanOf } from './fit-models.job.ts';
import { addFit, failFit, failStuckFits, findLatest, findWaiting } from './store.ts';

/**
 * Nightly: refits the models of every profile with enough purchases and a new or changed one since its last fit, one after the other,
 * oldest fit first. Returns the number of fits. Safe to run twice: a refitted profile has nothing new.
 */
export async function refitModels(engines: Fitting, signal: AbortSignal): Promise<number> {
  const due = (await listDue(engines, signal))
    .toSorted((a, b) => a.fittedAt - b.fittedAt || (a.profileId < b.profileId ? -1 : 1))
    .slice(0, limits.models.refits);
  const faults: unknown[] = [];
  for (const { profileId } of due) {
    signal.throwIfAborted();
    await refit(engines, profileId, signal).catch((fault: unknown) => faults.push(fault));
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} of ${due.length} fits failed.`);
  return due.length;
}

async function refit(engines: Fitting, profileId: string, signal: AbortSignal): Promise<void> {
  const ledger = engines.app.forProfile(profileId);
  const added = await ledger.transaction((tx) => addFit(tx, profileId, uuid(), engines.now()));
  if (!added) return;
  try {
    await fitModels(engines, { profileId, fitId: added.id }, signal);
  } catch (fault) {
    await ledger.transaction((tx) => failFit(tx, profileId, added.id, engines.now()));
    throw fault;
  }
}

/** Profiles that are due, with the time of their last fit; 0 for never. */
async function listDue({ app, clickhouse, now }: Fitting, signal: AbortSignal) {
  const { from, until } = spanOf(now());
  const due: { readonly profileId: string; readonly fittedAt: number }[] = [];
  const parameters = { from, until, least: limits.models.purchases };
  for await (const { profile_id: profileId, changed_at } of clickhouse.stream('model_list_changed', parameters, {
    signal,
  })) {
    const { latest, waiting } = await app.forProfile(profileId).transaction(async (tx) => {
      await failStuckFits(tx, profileId, now());
      return { latest: await findLatest(tx, profileId), waiting: await findWaiting(tx, profileId) };
    });
    const fittedAt = latest && latest.state !== 'failed' ? +latest.requestedAt : 0;
    if (!waiting && fittedAt <= Date.parse(changed_at)) due.push({ profileId, fittedAt });
  }
  return due;
}
