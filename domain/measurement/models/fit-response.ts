import { refuse } from '@tributary/operations';
import { dayMs, type EstimateRefusal, limits } from '@tributary/vocabulary';
import type { Fit } from './store.ts';

export const toFitResponse = (fit: Fit) => ({
  id: fit.id,
  state: fit.state,
  reason: fit.reason,
  requested_at: fit.requestedAt.toISOString(),
  finished_at: fit.finishedAt?.toISOString() ?? null,
  credited_from: fit.creditedFrom?.toISOString() ?? null,
  credited_until: fit.creditedUntil?.toISOString() ?? null,
  purchases: fit.purchases,
  seen_pct: fit.seenPct,
  people: fit.people,
  fingerprints: fit.fingerprints,
});

const messages: Readonly<Record<EstimateRefusal, string>> = {
  no_fit: 'The models have not been fitted yet. Ask for it with POST /api/v1/models/fits.',
  stale: `The latest fit is older than ${limits.models.freshDays} days. Ask for another with POST /api/v1/models/fits.`,
  too_thin: `There were fewer than ${limits.models.purchases} purchases to learn from.`,
  too_little_seen: `Less than ${limits.models.seenPct}% of what was bought has any known touch.`,
  outside_fit: 'The fit does not reach over all of these days.',
  no_test: `No experiment on campaigns that the fit saw ended in the last ${limits.experiments.validDays} days at about the spend of today. Plan one or tell of one with POST /api/v1/experiments.`,
};

/** Why there is no estimate, according to the last completed fit. */
export function currentRefusal(settled: Fit | undefined, now: Date): EstimateRefusal | null {
  if (!settled) return 'no_fit';
  if (settled.reason) return settled.reason;
  return +now - +settled.requestedAt > limits.models.freshDays * dayMs ? 'stale' : null;
}

export const refuseEstimate = (reason: EstimateRefusal): never =>
  refuse('invalid_state', messages[reason], { fields: { reason } });
