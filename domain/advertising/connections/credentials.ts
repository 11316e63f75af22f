import type { Provider } from '@tributary/providers';
import type { SealedColumn, SecretLocation, Vault } from '@tributary/vault';

const locateSecret = (profileId: string, connectionId: string): SecretLocation => ({
  table: 'connections',
  column: 'credentials',
  row: connectionId,
  profileId,
});

export const sealedCredentials: SealedColumn = {
  table: 'connections',
  column: 'credentials',
  key: ['profile_id', 'id'],
  place: (profileId, id) => locateSecret(profileId, String(id)),
};

interface ConnectionKey {
  readonly profileId: string;
  readonly id: string;
}

export const sealCredentials = (
  vault: Pick<Vault, 'seal'>,
  { profileId, id }: ConnectionKey,
  credentials: unknown,
): Buffer => vault.seal(JSON.stringify(credentials), locateSecret(profileId, id));

/** Decrypts credentials without parsing them by their provider. */
export const openSecrets = (vault: Pick<Vault, 'open'>, { profileId, id }: ConnectionKey, sealed: Buffer): string =>
  vault.open(sealed, locateSecret(profileId, id));

export const openCredentials = (
  vault: Pick<Vault, 'open'>,
  { profileId, id }: ConnectionKey,
  provider: Pick<Provider, 'credentials'>,
  sealed: Buffer,
): unknown => provider.credentials.parse(JSON.parse(vault.open(sealed, locateSecret(profileId, id))));
