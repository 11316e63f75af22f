import type { LookUps } from '@tributary/postgres';
import { loadStreamKeys, type PublicKey } from '@tributary/vault';

/** The longest delay until a rotated key is used. */
const refreshMs = 30_000;

/** The public keys that encrypt visits, newest first. The collector cannot decrypt. */
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
