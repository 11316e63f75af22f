import type { StoredMsg } from '@nats-io/jetstream';
import type { Headers } from './headers.ts';
import { serverMessageId } from './headers.ts';
import type { Link } from './link.ts';
import type { Publisher } from './publisher.ts';
import type { StreamDeclaration, StreamDeclarations, StreamName, WorkStreamDeclarations } from './streams.ts';

/** A message of a stream in a backup. */
export interface CopiedMessage {
  readonly stream: StreamName;
  /** The index of the visit stream; absent for the first one. */
  readonly place?: number;
  /** The rest of the subject after that of its stream: the partition of a visit. */
  readonly part: string;
  readonly id: string;
  readonly headers: Headers;
  /** Base64. */
  readonly payload: string;
}

/** The messages of a stream after one sequence, up to and including another, oldest first. */
export async function* readMessages(
  link: Link,
  stream: StreamName,
  place: number,
  { name, subject }: StreamDeclaration,
  { after, through }: { readonly after: number; readonly through: number },
): AsyncIterable<CopiedMessage> {
  const allSubjects = stream === 'visits' ? `${subject}.>` : subject;
  for (let from = after + 1; from <= through; ) {
    // The server supports `next_by_subj` here too. The client's types have it only for direct requests, which the visit streams do not
    // allow.
    const next = { seq: from, next_by_subj: allSubjects } as { seq: number };
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

/** Publishes the messages under their own ids, so that a second try within two minutes adds no duplicates. */
export async function restore(
  publisher: Publisher,
  streams: StreamDeclarations & WorkStreamDeclarations,
  messages: readonly CopiedMessage[],
): Promise<void> {
  await publisher.publish(
    messages.map(({ stream, place = 0, part, id, headers, payload }) => {
      const { visits } = streams;
      // There may be fewer streams than in the backup. Any stream will do, as long as a profile's visits share one.
      const { name, subject } =
        stream === 'visits' ? (visits[place % visits.length] as StreamDeclaration) : streams[stream];
      return { stream: name, subject: `${subject}${part}`, id, headers, payload: Buffer.from(payload, 'base64') };
    }),
    { deadlineMs: 60_000 },
  );
}
