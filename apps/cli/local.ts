import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Supervisor } from '@tributary/engines';

const secretsFile = join(import.meta.dirname, '../../.engines/local-secrets.json');

/** Keys of this machine's own, made once, unless the environment brings others. */
export function localSecrets(): Record<string, string> {
  if (process.env.ENCRYPTION_KEYS) return {};
  if (!existsSync(secretsFile)) {
    mkdirSync(dirname(secretsFile), { recursive: true });
    const secrets = { ENCRYPTION_KEYS: `local:${randomBytes(32).toString('base64')}` };
    writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
  }
  return JSON.parse(readFileSync(secretsFile, 'utf8'));
}

/** On a developer's machine the private engines may stand on other ports than the usual; what the environment says comes first. */
export async function useLocalEngines(): Promise<void> {
  const known = await new Supervisor().knownAddresses();
  const secrets = existsSync(secretsFile) ? localSecrets() : {};
  for (const [name, value] of Object.entries({ ...known, ...secrets })) process.env[name] ||= value;
}
