import type { Stream } from '@tributary/stream';
import { tryOpen } from '@tributary/vault';
import type { Opening } from './erase-invalid-visits.ts';
import { findErased, parseOrText } from './find-erased.ts';
import { type Arrival, streamLocation, type VisitMessage } from './message.ts';

export interface OpenedLetter {
  readonly sequence: number;
  readonly lines: readonly string[];
  /** The lines that are requests; parts that cannot be decrypted are null. */
  readonly requests: readonly { readonly line: number; readonly arrival: Arrival; readonly content: unknown }[];
}

/** Yields dead letters after a sequence number, in order. */
export async function* openDeadLetters(
  opening: Pick<Opening, 'streamVault'>,
  { deadLetters }: Pick<Stream, 'deadLetters'>,
  from = 0,
): AsyncIterable<OpenedLetter> {
  for (let after: number | undefined = from; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof deadLetters.list>> = await deadLetters.list({ after });
    for (const { sequence, payload } of page.letters) {
      const lines = Buffer.from(payload).toString('utf8').split('\n');
      const requests = lines.flatMap((text, line) => {
        const message = parseOrText(text) as VisitMessage | null;
        return message?.v === 1 ? [{ line, ...openRequest(opening, message) }] : [];
      });
      yield { sequence, lines, requests };
    }
    after = page.next;
  }
}

/**
 * Removes the requests of erased customers from dead letters, of one profile or of all. A letter may hold requests of
 * several browsers; the others stay. Resolves to the number of removed requests and the last letter checked.
 */
export async function forgetDeadLetters(
  opening: Opening,
  stream: Pick<Stream, 'deadLetters'>,
  signal: AbortSignal,
  { after = 0, profileId }: { readonly after?: number; readonly profileId?: string } = {},
): Promise<{ forgotten: number; through: number }> {
  let forgotten = 0;
  let through = after;
  for await (const { sequence, lines, requests } of openDeadLetters(opening, stream, after)) {
    signal.throwIfAborted();
    through = sequence;
    const ownRequests = requests.filter(({ arrival }) => !profileId || arrival.profile_id === profileId);
    if (ownRequests.length === 0) continue;
    const removedLines = new Set((await findErased(opening, ownRequests)).map(({ line }) => line));
    if (removedLines.size === 0) continue;
    const remaining = lines.filter((_, line) => !removedLines.has(line));
    if (remaining.length > 0) await stream.deadLetters.replace(sequence, Buffer.from(remaining.join('\n')));
    else await stream.deadLetters.remove(sequence);
    forgotten += removedLines.size;
  }
  return { forgotten, through };
}

/** Deletes a profile's data from the dead letters. Resolves to the number of deleted lines and encrypted letters. */
export async function deleteDeadLettersOf(
  { deadLetters }: Pick<Stream, 'deadLetters'>,
  profileId: string,
  signal: AbortSignal,
): Promise<number> {
  let forgotten = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal.throwIfAborted();
    const page: Awaited<ReturnType<typeof deadLetters.list>> = await deadLetters.list({ after });
    for (const { sequence, payload, headers } of page.letters) {
      // Letters that are encrypted as a whole name their profiles in a header.
      if (Object.values(headers).some((value) => value.includes(profileId))) {
        await deadLetters.remove(sequence);
        forgotten += 1;
        continue;
      }
      const lines = Buffer.from(payload).toString('utf8').split('\n');
      const remaining = lines.filter((line) => !line.includes(profileId));
      if (remaining.length === lines.length) continue;
      if (remaining.length > 0) await deadLetters.replace(sequence, Buffer.from(remaining.join('\n')));
      else await deadLetters.remove(sequence);
      forgotten += lines.length - remaining.length;
    }
    after = page.next;
  }
  return forgotten;
}

/** Decrypts a request's parts. A part encrypted under a retired key becomes null, because it can no longer be decrypted. */
function openRequest({ streamVault }: Pick<Opening, 'streamVault'>, message: VisitMessage) {
  const { v: _version, visits, sealed, broken, id: _id, refused: _refused, ...arrival } = message;
  const open = (text: string): unknown => {
    const opened = tryOpen(() => streamVault.open(Buffer.from(text, 'base64'), streamLocation(arrival)));
    return opened === undefined ? null : parseOrText(opened);
  };
  return { arrival, content: [visits, sealed && open(sealed), (broken ?? []).map((one) => open(one.sealed))] };
}
