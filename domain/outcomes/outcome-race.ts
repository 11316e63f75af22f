/** Somebody recorded the same key, or moved what it hangs on, between our look and our write. Taken from the start, it will be seen. */
export class OutcomeRace extends Error {
  override readonly name = 'OutcomeRace';
}
