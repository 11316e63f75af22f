import type { StreamMessage } from '@tributary/stream';
import { tryOpen, UnreadableSecret } from '@tributary/vault';
import type { Ingestion } from './context.ts';
import { type Arrival, placeInStream, type Refused, type VisitMessage } from './message.ts';
import type { BadReason, OpenVisit, SecretPart } from './take-visit.ts';

/** A request whose seals are open. */
export interface OpenedRequest {
  /** The same for every delivery of it. */
  readonly id: string;
  readonly arrival: Arrival;
  readonly visits: readonly { readonly visit: OpenVisit; readonly secret: SecretPart }[];
  readonly broken: readonly BrokenVisit[];
  readonly refused?: Refused;
}

export interface BrokenVisit {
  readonly reason: BadReason;
  /** JSON, as the browser sent it. */
  readonly sent: string;
}

/**
 * Step 1. What is no message of ours, or does not open, becomes a dead letter: it waits there until somebody knows more. Other
 * requests of the same message go on; when the letter is replayed, they are known again.
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
        const again = tryOpen(() => openOne(ingestion, parsed));
        if (again) opened.push(again);
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
  const place = placeInStream(arrival);
  const open = (text: string) => streamVault.open(Buffer.from(text, 'base64'), place);
  const secrets = sealed ? (JSON.parse(open(sealed)) as Record<string, SecretPart>) : {};
  return {
    id,
    arrival,
    visits: visits.map((visit) => ({ visit, secret: secrets[visit.id] ?? {} })),
    broken: broken.map(({ reason, sealed: text }) => ({ reason, sent: open(text) })),
    ...(refused && { refused }),
  };
}
