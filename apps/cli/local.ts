import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Supervisor } from '@tributary/engines';

const secretsFile = join(import.meta.dirname, '../../.engines/local-secrets.json');

/** Encryption keys for this machine, generated once, unless the environment has its own. */
export function localSecrets(): Record<string, string> {
  if (process.env.ENCRYPTION_KEYS) return {};
  if (!existsSync(secretsFile)) {
    mkdirSync(dirname(secretsFile), { recursive: true });
    const secrets = { ENCRYPTION_KEYS: `local:${randomBytes(32).toString('base64')}` };
    writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
  }
  return JSON.parse(readFileSync(secretsFile, 'utf8'));
}

/** On a developer's machine the local engines may use other ports; settings in the environment take precedence. */
export async function useLocalEngines(): Promise<void> {
  const addresses = await new Supervisor().knownAddresses();
  const secrets = existsSync(secretsFile) ? localSecrets() : {};
  for (const [name, value] of Object.entries({ ...addresses, ...secrets })) process.env[name] ||= value;
}
