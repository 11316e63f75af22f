import type { RawBuilder } from 'kysely';

/** A step of setting a profile up. The room that knows whether it is done says so, as an expression over tables of its own. */
export interface ReadinessStep {
  readonly step: string;
  isDone(profileId: string): RawBuilder<boolean>;
}
