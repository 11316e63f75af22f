import { verifyWebhook } from '@tributary/sdk';
import { Webhook } from 'standardwebhooks';
import { keyOf, signatureHeaders } from './delivery/signature.ts';
import { mintSecret, rotateSecrets, type SigningSecret, signingAt } from './secrets.ts';

interface Tries {
  readonly deliveries: number;
  readonly mutations: number;
  readonly progress?: (done: number) => void;
}

/**
 * Signs deliveries over three rotations and verifies each with a current secret, using the SDK and the Standard Webhooks library. Then
 * changes one character of a signed request. Returns the number of valid requests refused and of changed requests accepted.
 */
export async function trySignatures({ deliveries, mutations, progress = () => {} }: Tries) {
  const now = new Date();
  let secrets: SigningSecret[] = [{ secret: mintSecret(), until: null }];
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let refused = 0;
  for (let count = 0; count < deliveries; count += 1) {
    if (count % (deliveries / 4) === 0 && count > 0) secrets = rotateSecrets(secrets, mintSecret(), now);
    const body = JSON.stringify({ id: `event-${count}`, data: { n: count } });
    const headers = signatureHeaders(signingAt(secrets, now).map(keyOf), `event-${count}`, now, body);
    const one = secrets[random(secrets.length)]?.secret as string;
    if (!(await isVerified(one, headers, body)) || !isStandard(one, headers, body)) refused += 1;
    if (count % 1_000 === 0) progress(count);
  }
  let accepted = 0;
  const body = JSON.stringify({ id: 'event', data: { value: 1250.5, name: 'Ana' } });
  const headers = signatureHeaders(secrets.map(keyOf).slice(0, 1), 'event', now, body);
  const secret = secrets[0]?.secret as string;
  for (let count = 0; count < mutations; count += 1) {
    const parts = { ...headers, body };
    const name = (Object.keys(parts) as (keyof typeof parts)[])[count % 4] as keyof typeof parts;
    const text = parts[name];
    const at = random(text.length);
    const other = String.fromCharCode(33 + ((text.charCodeAt(at) - 33 + 1 + random(92)) % 94));
    const { body: changedBody, ...changed } = { ...parts, [name]: text.slice(0, at) + other + text.slice(at + 1) };
    if (await isVerified(secret, changed, changedBody)) accepted += 1;
    if (count % 1_000 === 0) progress(deliveries + count);
  }
  return { refused, accepted };
}

/** A changed timestamp must fail by its signature, so the age tolerance is unlimited. */
const isVerified = (secret: string, headers: Record<string, string>, body: string): Promise<boolean> =>
  verifyWebhook(secret, headers, body, { toleranceSeconds: 1e12 }).then(
    () => true,
    () => false,
  );

function isStandard(secret: string, headers: Record<string, string>, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
