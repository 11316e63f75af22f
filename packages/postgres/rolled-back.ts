import type { Ledger, Tx } from './ledger.ts';

/** Runs the work and rolls it back, for a dry run with the same result. */
export async function rolledBack<A>(ledger: Ledger, work: (tx: Tx) => Promise<A>): Promise<A> {
  try {
    return await ledger.transaction(async (tx) => {
      throw new RollBack(await work(tx));
    });
  } catch (error) {
    if (error instanceof RollBack) return error.result as A;
    throw error;
  }
}

/** Ends the transaction of a dry run and carries its result. */
class RollBack extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('dry run');
    this.result = result;
  }
}
