import type { StreamMessage } from '@tributary/stream';
import { tryOpen, UnreadableSecret } from '@tributary/vault';
import type { Ingestion } from './context.ts';
import { type Arrival, type Refused, streamLocation, type VisitMessage } from './message.ts';
import type { BadReason, OpenVisit, SecretPart } from './parse-visit.ts';

/** A decrypted request. */
export interface OpenedRequest {
  /** Identical for every delivery of the request. */
  readonly id: string;
  readonly arrival: Arrival;
  readonly visits: readonly { readonly visit: OpenVisit; readonly secret: SecretPart }[];
  readonly broken: readonly BrokenVisit[];
  readonly refused?: Refused;
}

export interface BrokenVisit {
  readonly reason: BadReason;
  /** JSON as the browser sent it. */
  readonly sent: string;
}

/**
 * Step 1: decrypts messages. A line that is not a version 1 message or cannot be decrypted makes its message a dead
 * letter, which an operator can replay. Other requests of the same message are processed; a replay recognises them as
 * duplicates.
 */
export async function openMessages(
  ingestion: Pick<Ingestion, 'streamVault' | 'refreshKeys'>,
  batch: readonly StreamMessage[],
): Promise<OpenedRequest[]> {
  const opened: OpenedRequest[] = [];
  let hasRefreshed = false;
  for (const message of batch) {
    for (const line of Buffer.from(message.payload).toString('utf8').split('\n')) {
      const parsed = parse(line);
      if (!parsed) {
        message.reject('It is not a message of version 1.');
        continue;
      }
      try {
        opened.push(openOne(ingestion, parsed));
      } catch (error) {
        if (!(error instanceof UnreadableSecret)) throw error;
        if (!hasRefreshed) await ingestion.refreshKeys();
        hasRefreshed = true;
        const retried = tryOpen(() => openOne(ingestion, parsed));
        if (retried) opened.push(retried);
        else message.reject('A sealed part does not open: the key was retired, or it was changed.');
      }
    }
  }
  return opened;
}

function parse(line: string): VisitMessage | undefined {
  try {
    const message = JSON.parse(line) as VisitMessage;
    return message?.v === 1 ? message : undefined;
  } catch {
    return undefined;
  }
}

function openOne({ streamVault }: Pick<Ingestion, 'streamVault'>, message: VisitMessage): OpenedRequest {
  const { v: _version, id, visits, sealed, broken, refused, ...arrival } = message;
  const location = streamLocation(arrival);
  const open = (text: string) => streamVault.open(Buffer.from(text, 'base64'), location);
  const secrets = sealed ? (JSON.parse(open(sealed)) as Record<string, SecretPart>) : {};
  return {
    id,
    arrival,
    visits: visits.map((visit) => ({ visit, secret: secrets[visit.id] ?? {} })),
    broken: broken.map(({ reason, sealed: text }) => ({ reason, sent: open(text) })),
    ...(refused && { refused }),
  };
}
