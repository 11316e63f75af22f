import type { FindNamingErased } from '@tributary/domain/commerce/customers';
import type { DeadLetter, DeadLetterPage, Stream } from '@tributary/stream';
import { type Opener, UnreadableSecret } from '@tributary/vault';
import { openWebhook } from './message.ts';

/** Dead letters of provider webhooks, for erasures and the verification of erasures. */

export interface DeadLetterStores {
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly opening: { readonly streamVault: Pick<Opener, 'openBytes'> };
}

const profilesHeader = 'Profiles';

/** Headers that name the profiles of a dead letter. */
export const deadLetterHeaders = (profileIds: readonly string[]): Record<string, string> => ({
  [profilesHeader]: profileIds.join(' '),
});

/** A dead letter after an unexpected error names no profile, so it may belong to any. */
const mayBelongTo = ({ headers }: DeadLetter, profileId: string): boolean =>
  headers[profilesHeader]?.split(' ').includes(profileId) ?? true;

interface DecryptedLetter {
  readonly sequence: number;
  readonly content: unknown;
  readonly at: Date;
}

export async function* readWebhookDeadLetters(
  profileId: string,
  stores: DeadLetterStores,
): AsyncIterable<DecryptedLetter> {
  const { deadLetters } = stores.stream;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: DeadLetterPage = await deadLetters.list({ after });
    for (const letter of page.letters) {
      if (!deadLetters.workStreamOf(letter) || !mayBelongTo(letter, profileId)) continue;
      const decrypted = await decryptLetter(stores, letter);
      if (decrypted) yield { sequence: letter.sequence, ...decrypted };
    }
    after = page.next;
  }
}

/** Undefined if the key was retired: the letter is then unreadable for good. */
async function decryptLetter({ opening }: DeadLetterStores, letter: DeadLetter) {
  try {
    const webhook = await openWebhook(opening.streamVault, letter);
    if (!webhook) return undefined;
    const { headers, body } = webhook.delivery;
    return { content: [headers, parseContent(Buffer.from(body).toString('utf8'))], at: webhook.receivedAt };
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}

/** The parsed JSON, or the text if it is not JSON. */
function parseContent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Deletes dead letters that name an erased customer. Resolves to the number of letters. */
export async function eraseWebhookDeadLetters(
  profileId: string,
  stores: DeadLetterStores,
  findNaming: FindNamingErased,
  signal: AbortSignal,
): Promise<number> {
  let erased = 0;
  for await (const letter of readWebhookDeadLetters(profileId, stores)) {
    signal.throwIfAborted();
    if ((await findNaming(profileId, [letter])).length === 0) continue;
    await stores.stream.deadLetters.remove(letter.sequence);
    erased += 1;
  }
  return erased;
}
