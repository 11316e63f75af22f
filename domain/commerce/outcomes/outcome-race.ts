/**
 * Thrown when a concurrent transaction recorded the same key, or changed its customer or visitor, between read and write. A retry sees the
 * change.
 */
export class OutcomeRace extends Error {
  override readonly name = 'OutcomeRace';
}
