import type { LookUps } from '@tributary/postgres';
import { loadStreamKeys, type PublicKey } from '@tributary/vault';

/** How late a rotated key is used at the latest. */
const refreshMs = 30_000;

/** The public keys that visits are sealed for, newest first. What they sealed, the collector cannot open. */
export async function openStreamKeys(
  lookUps: LookUps,
  onError: (error: unknown) => void,
): Promise<{ keys: () => readonly PublicKey[]; close(): void }> {
  let keys: readonly PublicKey[] = await loadStreamKeys(lookUps);
  if (keys.length === 0) throw new Error('The stream has no public key yet. Run "tributary migrate".');
  const refresh = async () => {
    const loaded = await loadStreamKeys(lookUps);
    if (loaded.length > 0) keys = loaded;
  };
  const timer = setInterval(() => void refresh().catch(onError), refreshMs).unref();
  return { keys: () => keys, close: () => clearInterval(timer) };
}
