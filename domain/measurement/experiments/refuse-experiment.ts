import { refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type ExperimentRefusal, type ExperimentState, experimentRefusals } from '@tributary/vocabulary';
import { type Experiment, findExperiment } from './store.ts';

export const refuseExperiment = (reason: ExperimentRefusal): never =>
  refuse('invalid_state', experimentRefusals[reason], { fields: { reason } });

/** Locks the experiment until the transaction ends, and refuses if it is in another state. */
export async function lockExperiment(
  tx: Tx,
  profileId: string,
  id: string,
  ...states: readonly ExperimentState[]
): Promise<Experiment> {
  const found = await findExperiment(tx, profileId, id, { isLocked: true });
  if (!found) return refuse('not_found', 'There is no such experiment.');
  return states.includes(found.state) ? found : refuseExperiment('wrong_state');
}
