import { dayMs } from '@tributary/vocabulary';
import type { Experiment } from './store.ts';

export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

const readableFrom = ({ endsOn, coolDownDays }: Experiment): string => dayAfter(endsOn, coolDownDays + 1);

export const toExperimentResponse = (one: Experiment) => ({
  id: one.id,
  name: one.name,
  kind: one.kind,
  state: one.state,
  entity_ids: [...one.entityIds],
  starts_on: one.startsOn,
  ends_on: one.endsOn,
  readable_from: readableFrom(one),
  held_out_regions: [...(one.heldOut ?? [])],
  power: one.power,
  readout: one.state === 'ended' ? one.readout : null,
  void_reason: one.voidReason,
  created_at: one.createdAt.toISOString(),
  started_at: one.startedAt?.toISOString() ?? null,
  ended_at: one.endedAt?.toISOString() ?? null,
});
