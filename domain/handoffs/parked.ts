import type { SealedColumn, SecretPlace, Vault } from '@tributary/vault';
import { z } from 'zod';

/** What waits until somebody has chosen one of several accounts: the way in, and the accounts. */

const Candidate = z.strictObject({
  externalId: z.string(),
  name: z.string(),
  granted: z.array(z.string()),
  details: z.record(z.string(), z.string()),
  /** Where an account has a way in of its own. */
  credentials: z.unknown().optional(),
});

const Parked = z.strictObject({ credentials: z.unknown(), candidates: z.array(Candidate) });
export type Parked = z.output<typeof Parked>;

interface Owned {
  readonly profileId: string;
  readonly id: string;
}

const placeOf = ({ profileId, id }: Owned): SecretPlace => ({
  table: 'pending_selections',
  column: 'parked',
  row: id,
  profileId,
});

export const sealedParked: SealedColumn = {
  table: 'pending_selections',
  column: 'parked',
  key: ['profile_id', 'id'],
  place: (profileId, id) => placeOf({ profileId, id: String(id) }),
};

export const sealParked = (vault: Pick<Vault, 'seal'>, owned: Owned, parked: z.input<typeof Parked>): Buffer =>
  vault.seal(JSON.stringify(parked), placeOf(owned));

export const openParked = (vault: Pick<Vault, 'open'>, owned: Owned, sealed: Buffer): Parked =>
  Parked.parse(JSON.parse(vault.open(sealed, placeOf(owned))));
