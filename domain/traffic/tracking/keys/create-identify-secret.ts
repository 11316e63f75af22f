import { randomBytes } from 'node:crypto';
import type { Routes } from '@tributary/contract';
import type { Signing } from '@tributary/domain/traffic/ingestion';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { SealedColumn, SecretLocation, Vault } from '@tributary/vault';
import type { TrackingServices } from '../services.ts';
import { findSettings, listActiveKeys, saveIdentifySecret } from '../store.ts';

const locateSecret = (profileId: string, keyId: string): SecretLocation => ({
  table: 'tracking_keys',
  column: 'identify_secret',
  row: keyId,
  profileId,
});

export const sealedIdentifySecrets: SealedColumn = {
  table: 'tracking_keys',
  column: 'identify_secret',
  key: ['profile_id', 'id'],
  place: (profileId, keyId) => locateSecret(profileId, String(keyId)),
};

export const createIdentifySecret: Handles<Routes['createIdentifySecret'], Pick<TrackingServices, 'vault'>> = async (
  { params },
  { caller, effect, vault },
) => {
  const { profileId } = caller;
  const secret = randomBytes(32).toString('base64url');
  return effect(async (tx) => {
    const sealed = vault.seal(secret, locateSecret(profileId, params.id));
    if (!(await saveIdentifySecret(tx, profileId, params.id, sealed)))
      return refuse('not_found', 'There is no such tracking key.');
    return answer(201, { data: { id: params.id, identify_secret: secret } });
  });
};

/** Reads the secrets against which the pipeline verifies signed `identify` calls. */
export const signingReader =
  (vault: Pick<Vault, 'open'>) =>
  async (tx: Tx, profileId: string): Promise<Signing> => {
    const settings = await findSettings(tx, profileId);
    const keys = await listActiveKeys(tx, profileId);
    return {
      secrets: keys.flatMap(({ id, identify_secret: sealed }) =>
        sealed ? [vault.open(sealed, locateSecret(profileId, id))] : [],
      ),
      isRequired: settings?.is_signed_identify_required ?? false,
    };
  };
