import type { FindNamingErased } from '@tributary/domain/customers';
import type { DeadLetter, DeadLetterPage, Stream } from '@tributary/stream';
import { type Opener, UnreadableSecret } from '@tributary/vault';
import { openWebhook } from './message.ts';

/** Webhooks that could not be recorded lie among the dead letters. What an erasure does with them, and a search of its certificate. */

export interface LetterStores {
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly opening: { readonly streamVault: Pick<Opener, 'openBytes'> };
}

const profilesHeader = 'Profiles';

/** Says in a letter whose it is. */
export const letterHeaders = (profileIds: readonly string[]): Record<string, string> => ({
  [profilesHeader]: profileIds.join(' '),
});

/** A letter of an unknown error names no profile: it may be anybody's. */
const mayBeOf = ({ headers }: DeadLetter, profileId: string): boolean =>
  headers[profilesHeader]?.split(' ').includes(profileId) ?? true;

interface OpenedLetter {
  readonly sequence: number;
  readonly content: unknown;
  readonly at: Date;
}

export async function* openWebhookLetters(profileId: string, stores: LetterStores): AsyncIterable<OpenedLetter> {
  const { deadLetters } = stores.stream;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: DeadLetterPage = await deadLetters.list({ after });
    for (const letter of page.letters) {
      if (!deadLetters.workStreamOf(letter) || !mayBeOf(letter, profileId)) continue;
      const opened = await openLetter(stores, letter);
      if (opened) yield { sequence: letter.sequence, ...opened };
    }
    after = page.next;
  }
}

/** What is sealed under a key that was retired says nothing to anybody any more. */
async function openLetter({ opening }: LetterStores, letter: DeadLetter) {
  try {
    const webhook = await openWebhook(opening.streamVault, letter);
    if (!webhook) return undefined;
    const { headers, body } = webhook.delivery;
    return { content: [headers, contentOf(Buffer.from(body).toString('utf8'))], at: webhook.receivedAt };
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}

/** What is no JSON is one text. */
function contentOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Deletes letters that name somebody who was erased after they came. Resolves to how many. */
export async function forgetWebhookLetters(
  profileId: string,
  stores: LetterStores,
  findNaming: FindNamingErased,
  signal: AbortSignal,
): Promise<number> {
  let forgotten = 0;
  for await (const letter of openWebhookLetters(profileId, stores)) {
    signal.throwIfAborted();
    if ((await findNaming(profileId, [letter])).length === 0) continue;
    await stores.stream.deadLetters.remove(letter.sequence);
    forgotten += 1;
  }
  return forgotten;
}
