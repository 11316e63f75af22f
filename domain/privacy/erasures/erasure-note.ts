import type { ErasureReason } from '@tributary/contract';
import { findStrengthOfErased, listTombstones } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import { type ErasureWork, findErasures } from './store.ts';

/** The record of an erasure that is stored next to the backups. Contains no personal data: keyed hashes and our ids only. */
export interface ErasureNote {
  readonly profileId: string;
  readonly erasureId: string;
  readonly requestRef: string;
  readonly reason: ErasureReason;
  readonly requestedAt: string;
  /** Encrypted as on the receipt, in base64. */
  readonly customerKey: string | null;
  readonly customerIds: readonly string[];
  readonly wasStrong: boolean;
  /** Missing in notes of earlier versions. */
  readonly wasKeyed?: boolean | undefined;
  /** In hex. */
  readonly tombstones: readonly string[];
}

export async function noteOf(tx: Tx, profileId: string, { erasureId, personIds }: ErasureWork): Promise<ErasureNote> {
  const [erasure] = await findErasures(tx, profileId, [erasureId]);
  if (!erasure) throw new Error(`The erasure ${erasureId} has no receipt.`);
  return {
    profileId,
    erasureId,
    requestRef: erasure.requestRef,
    reason: erasure.reason,
    requestedAt: erasure.requestedAt.toISOString(),
    customerKey: erasure.customerKey?.toString('base64') ?? null,
    customerIds: personIds,
    ...(await findStrengthOfErased(tx, profileId, erasureId)),
    tombstones: await listTombstones(tx, profileId, erasureId),
  };
}
