import { refuse } from '@tributary/operations';
import { limits } from '@tributary/vocabulary';

export function refuseNothing(): never {
  refuse('not_found', 'There is nothing to choose from at this provider. Mint a hand-off first.');
}

export function refuseLapsed(): never {
  const { parkedTokenMinutes } = limits.handoff;
  refuse('invalid_state', `The ${parkedTokenMinutes} minutes to choose an account are over. Start the connect again.`, {
    fields: { reason: 'selection_expired' },
  });
}

export function refuseOther(): never {
  refuse('invalid_state', 'Another account was chosen already. Switching accounts is a new connect.', {
    fields: { reason: 'already_finalized' },
  });
}
