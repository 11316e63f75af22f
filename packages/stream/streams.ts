import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

export interface StreamSettings {
  /** Over how many streams profiles are spread. Each has a leader, a room and readers of its own. */
  readonly count: number;
  /** Subjects the visits of a stream are spread over. More can be added at any time: readers take all of them. */
  readonly partitions: number;
  /** Copies of each message: 1 on a single server, 3 in a cluster. */
  readonly replicas: number;
  /** How long a visit stays in the log. Longer than the longest outage of the worker, or visits leave it unread. */
  readonly retentionMs: number;
  /** How long a dead letter stays; 0 keeps it until somebody replays or removes it. */
  readonly deadLetterRetentionMs: number;
  /** Most bytes of visits on disk in each of the streams; a full one refuses new ones. -1 leaves it to the server's own limit, and nothing is ever freed. */
  readonly maxBytes: number;
  /** Most bytes of dead letters: room of their own, so that they take none from the visits. */
  readonly deadLetterMaxBytes: number;
  /** Most bytes of one message with its headers. */
  readonly maxMessageBytes: number;
  /** Size limit of each work stream. A full stream rejects new messages. */
  readonly workMaxBytes: Readonly<Record<WorkStreamName, number>>;
  /** Size limit of one work stream message with its headers. A lower `max_payload` of the server wins. */
  readonly maxWorkMessageBytes: number;
}

export const defaultStreamSettings: StreamSettings = {
  count: 1,
  partitions: 16,
  replicas: 1,
  retentionMs: 7 * 24 * 60 * 60_000,
  deadLetterRetentionMs: 0,
  maxBytes: -1,
  deadLetterMaxBytes: -1,
  maxMessageBytes: 900 * 1024,
  workMaxBytes: { webhooks: -1, 'unverified-webhooks': -1 },
  maxWorkMessageBytes: 2_200 * 1024,
};

/** A dead letter is the message plus its story; without this room above the largest message it could never be written. */
export const deadLetterHeadroomBytes = 16 * 1024;

/** The server remembers message ids this long. Only a first filter: readers must bear repeats of any age. */
const duplicateWindowMs = 2 * 60_000;

/**
 * Work queues with one consumer each, which deletes a message after processing it. Messages do not expire, because the stream may hold the
 * only copy. Unverified webhooks have a separate stream, so that they cannot displace verified ones.
 */
export const workStreamNames = ['webhooks', 'unverified-webhooks'] as const;
export type WorkStreamName = (typeof workStreamNames)[number];

export type StreamName = 'visits' | 'dead-letters' | WorkStreamName;

export interface StreamDeclaration {
  readonly name: string;
  /** The subject, or for visits the words before the partition. */
  readonly subject: string;
  readonly config: Partial<StreamConfig> & { readonly name: string };
}

export interface StreamDeclarations {
  /** A profile's visits are all in one of them. */
  readonly visits: readonly [StreamDeclaration, ...StreamDeclaration[]];
  readonly 'dead-letters': StreamDeclaration;
}

/** The first has no number: it was there before there were several. */
const visitsName = (at: number): string => (at === 0 ? 'visits' : `visits-${at}`);

const declarerOf =
  (prefix: string, { replicas }: StreamSettings) =>
  (stream: string, subjects: string, retentionMs: number, rest: Partial<StreamConfig>): StreamDeclaration => {
    const name = `${prefix}-${stream}`;
    return {
      name,
      subject: `${prefix}.${stream}`,
      config: {
        name,
        subjects: [subjects],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        // The other policy would make room by deleting visits nobody has read yet.
        discard: DiscardPolicy.New,
        num_replicas: replicas,
        max_age: nanos(retentionMs),
        // The server refuses a window longer than the retention.
        duplicate_window: nanos(retentionMs > 0 ? Math.min(duplicateWindowMs, retentionMs) : duplicateWindowMs),
        ...rest,
      },
    };
  };

export type WorkStreamDeclarations = Readonly<Record<WorkStreamName, StreamDeclaration>>;

/** Declares the work streams. */
export function declareWorkStreams(prefix: string, settings: StreamSettings): WorkStreamDeclarations {
  const declare = declarerOf(prefix, settings);
  const workStream = (name: WorkStreamName) =>
    declare(name, `${prefix}.${name}`, 0, {
      description: 'Provider webhooks on their way from provider-webhooks to the worker.',
      retention: RetentionPolicy.Workqueue,
      max_bytes: settings.workMaxBytes[name],
      max_msg_size: settings.maxWorkMessageBytes,
    });
  return { webhooks: workStream('webhooks'), 'unverified-webhooks': workStream('unverified-webhooks') };
}

/** Declares the streams of visits and dead letters. */
export function declareStreams(prefix: string, settings: StreamSettings): StreamDeclarations {
  const declare = declarerOf(prefix, settings);
  const visitsAt = (at: number) =>
    declare(visitsName(at), `${prefix}.${visitsName(at)}.*`, settings.retentionMs, {
      description: 'Visits between collector and worker.',
      max_bytes: settings.maxBytes,
      max_msg_size: settings.maxMessageBytes,
    });
  return {
    visits: [visitsAt(0), ...Array.from({ length: settings.count - 1 }, (_, n) => visitsAt(n + 1))],
    'dead-letters': declare('dead-letters', `${prefix}.dead-letters`, settings.deadLetterRetentionMs, {
      description: 'Messages that could not be processed, with the reason.',
      max_bytes: settings.deadLetterMaxBytes,
      // Lets us step from one letter to the next over the gaps that replayed ones leave.
      allow_direct: true,
    }),
  };
}
