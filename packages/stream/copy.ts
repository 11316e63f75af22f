import type { StoredMsg } from '@nats-io/jetstream';
import type { Headers } from './headers.ts';
import { serverMessageId } from './headers.ts';
import type { Link } from './link.ts';
import type { Publisher } from './publisher.ts';
import type { StreamDeclaration, StreamDeclarations, StreamName, WorkStreamDeclarations } from './streams.ts';

/** A message of the log as it is kept elsewhere. */
export interface CopiedMessage {
  readonly stream: StreamName;
  /** In which of the streams of visits; none is the first. */
  readonly place?: number;
  /** What follows the subject of its stream: the partition of a visit. */
  readonly part: string;
  readonly id: string;
  readonly headers: Headers;
  /** In base64. */
  readonly payload: string;
}

/** What the stream holds after a sequence, up to another, oldest first. */
export async function* readMessages(
  link: Link,
  stream: StreamName,
  place: number,
  { name, subject }: StreamDeclaration,
  { after, through }: { readonly after: number; readonly through: number },
): AsyncIterable<CopiedMessage> {
  const any = stream === 'visits' ? `${subject}.>` : subject;
  for (let from = after + 1; from <= through; ) {
    // The server takes `next_by_subj` here as well; the client's types know it of direct requests only, which the visits do not allow.
    const next = { seq: from, next_by_subj: any } as { seq: number };
    const stored = await link.manager.streams.getMessage(name, next);
    if (!stored || stored.seq > through) return;
    yield { ...toCopy(stream, subject, stored), ...(place > 0 && { place }) };
    from = stored.seq + 1;
  }
}

function toCopy(stream: StreamName, subject: string, stored: StoredMsg): CopiedMessage {
  const { header, data } = stored;
  const pairs = header ? [...header].map(([name, values]) => [name, values[0] ?? ''] as const) : [];
  return {
    stream,
    part: stored.subject.slice(subject.length),
    id: header?.get(serverMessageId) ?? '',
    headers: Object.fromEntries(pairs.filter(([name]) => !name.startsWith('Nats-'))),
    payload: Buffer.from(data).toString('base64'),
  };
}

/** Puts them back; under their own ids, so that a second try within two minutes adds nothing. */
export async function putBack(
  publisher: Publisher,
  streams: StreamDeclarations & WorkStreamDeclarations,
  messages: readonly CopiedMessage[],
): Promise<void> {
  await publisher.publish(
    messages.map(({ stream, place = 0, part, id, headers, payload }) => {
      const { visits } = streams;
      // There may be fewer than there were: any of them will do, only that a profile's share one.
      const { name, subject } =
        stream === 'visits' ? (visits[place % visits.length] as StreamDeclaration) : streams[stream];
      return { stream: name, subject: `${subject}${part}`, id, headers, payload: Buffer.from(payload, 'base64') };
    }),
    { deadlineMs: 60_000 },
  );
}
