import type { SealedColumn, SecretLocation, Vault } from '@tributary/vault';
import { z } from 'zod';

/** Data stored until one of several accounts is selected: credentials and accounts. */

const Candidate = z.strictObject({
  externalId: z.string(),
  name: z.string(),
  granted: z.array(z.string()),
  details: z.record(z.string(), z.string()),
  /** For accounts with their own credentials. */
  credentials: z.unknown().optional(),
});

const Parked = z.strictObject({ credentials: z.unknown(), candidates: z.array(Candidate) });
export type Parked = z.output<typeof Parked>;

interface HandoffKey {
  readonly profileId: string;
  readonly id: string;
}

const locateSecret = ({ profileId, id }: HandoffKey): SecretLocation => ({
  table: 'pending_selections',
  column: 'parked',
  row: id,
  profileId,
});

export const sealedParked: SealedColumn = {
  table: 'pending_selections',
  column: 'parked',
  key: ['profile_id', 'id'],
  place: (profileId, id) => locateSecret({ profileId, id: String(id) }),
};

export const sealParked = (vault: Pick<Vault, 'seal'>, key: HandoffKey, parked: z.input<typeof Parked>): Buffer =>
  vault.seal(JSON.stringify(parked), locateSecret(key));

export const openParked = (vault: Pick<Vault, 'open'>, key: HandoffKey, sealed: Buffer): Parked =>
  Parked.parse(JSON.parse(vault.open(sealed, locateSecret(key))));
