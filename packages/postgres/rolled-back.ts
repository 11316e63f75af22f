import type { Ledger, Tx } from './ledger.ts';

/** Does the work and takes all of it back, so that it says what the work itself would. */
export async function rolledBack<A>(ledger: Ledger, work: (tx: Tx) => Promise<A>): Promise<A> {
  try {
    return await ledger.transaction(async (tx) => {
      throw new TakenBack(await work(tx));
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.result as A;
    throw error;
  }
}

/** Ends the transaction of a dry run without an effect. */
class TakenBack extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('dry run');
    this.result = result;
  }
}
