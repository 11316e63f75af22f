import type { RawBuilder } from 'kysely';

/** A setup step of a profile. The module that owns the data supplies `isDone` as an SQL expression over its tables. */
export interface ReadinessStep {
  readonly step: string;
  isDone(profileId: string): RawBuilder<boolean>;
}
