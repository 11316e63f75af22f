import type { Stream } from '@tributary/stream';
import { tryOpen } from '@tributary/vault';
import { findErased, parsed } from './find-erased.ts';
import type { Opening } from './forget-bad-visits.ts';
import { type Arrival, placeInStream, type VisitMessage } from './message.ts';

export interface OpenedLetter {
  readonly sequence: number;
  readonly lines: readonly string[];
  /** Those lines that are requests, as far as they can be read. */
  readonly requests: readonly { readonly line: number; readonly arrival: Arrival; readonly content: unknown }[];
}

/** In the order of their deaths, those after a given one. */
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
        const message = parsed(text) as VisitMessage | null;
        return message?.v === 1 ? [{ line, ...openRequest(opening, message) }] : [];
      });
      yield { sequence, lines, requests };
    }
    after = page.next;
  }
}

/**
 * Takes what is of somebody who was erased out of the dead letters, of one profile or of all. A letter may hold requests of many browsers: the others stay.
 * Resolves to how many requests went, and which letter was the last one looked at.
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
    const theirs = requests.filter(({ arrival }) => !profileId || arrival.profile_id === profileId);
    if (theirs.length === 0) continue;
    const gone = new Set((await findErased(opening, theirs)).map(({ line }) => line));
    if (gone.size === 0) continue;
    const left = lines.filter((_, line) => !gone.has(line));
    if (left.length > 0) await stream.deadLetters.replace(sequence, Buffer.from(left.join('\n')));
    else await stream.deadLetters.remove(sequence);
    forgotten += gone.size;
  }
  return { forgotten, through };
}

/** Deletes a profile's data from the dead letters. Resolves to the number of deleted lines and encrypted letters. */
export async function forgetLettersOf(
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
      const left = lines.filter((line) => !line.includes(profileId));
      if (left.length === lines.length) continue;
      if (left.length > 0) await deadLetters.replace(sequence, Buffer.from(left.join('\n')));
      else await deadLetters.remove(sequence);
      forgotten += lines.length - left.length;
    }
    after = page.next;
  }
  return forgotten;
}

/** What is sealed under a key that was retired says nothing to anybody any more. */
function openRequest({ streamVault }: Pick<Opening, 'streamVault'>, message: VisitMessage) {
  const { v: _version, visits, sealed, broken, id: _id, refused: _refused, ...arrival } = message;
  const open = (text: string): unknown => {
    const opened = tryOpen(() => streamVault.open(Buffer.from(text, 'base64'), placeInStream(arrival)));
    return opened === undefined ? null : parsed(opened);
  };
  return { arrival, content: [visits, sealed && open(sealed), (broken ?? []).map((one) => open(one.sealed))] };
}
