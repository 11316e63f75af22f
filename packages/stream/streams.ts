import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

export interface StreamSettings {
  /** The number of streams that profiles are distributed over. Each has its own leader, size limit and consumers. */
  readonly count: number;
  /**
   * The number of subjects that the visits of a stream are distributed over. It can be raised at any time because consumers read all of
   * them.
   */
  readonly partitions: number;
  /** Copies of each message: 1 on a single server, 3 in a cluster. */
  readonly replicas: number;
  /** How long a visit is kept. It must exceed the longest outage of the worker, or visits expire unread. */
  readonly retentionMs: number;
  /** How long a dead letter is kept; 0 keeps it until it is replayed or removed. */
  readonly deadLetterRetentionMs: number;
  /** Size limit of visits in each stream; a full stream refuses new ones. -1 leaves the limit to the server, and `trim` deletes nothing. */
  readonly maxBytes: number;
  /** Size limit of dead letters. It is separate, so that they take no space from the visits. */
  readonly deadLetterMaxBytes: number;
  /** Size limit of a message with its headers. */
  readonly maxMessageBytes: number;
  /** Size limit of each work stream. A full stream refuses new messages. */
  readonly workMaxBytes: Readonly<Record<WorkStreamName, number>>;
  /** Size limit of a work stream message with its headers. A server with a lower `max_payload` accepts less. */
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

/** A dead letter is the message plus its history, so the server must accept this much more than the largest message. */
export const deadLetterHeadroomBytes = 16 * 1024;

/** How long the server remembers message ids. It is only a first filter: consumers must handle duplicates of any age. */
const duplicateWindowMs = 2 * 60_000;

/**
 * Streams with one consumer each, from which a message is deleted after it was handled. Messages never expire because a message may be the
 * only copy. Webhooks that are not verified yet have their own stream, so that they take no space from the others.
 */
export const workStreamNames = ['webhooks', 'unverified-webhooks'] as const;
export type WorkStreamName = (typeof workStreamNames)[number];

export type StreamName = 'visits' | 'dead-letters' | WorkStreamName;

export interface StreamDeclaration {
  readonly name: string;
  /** The subject; for visits without the partition at its end. */
  readonly subject: string;
  readonly config: Partial<StreamConfig> & { readonly name: string };
}

export interface StreamDeclarations {
  /** All visits of a profile are in one of these streams. */
  readonly visits: readonly [StreamDeclaration, ...StreamDeclaration[]];
  readonly 'dead-letters': StreamDeclaration;
}

/** The first stream has no number because it predates the others. */
const visitsName = (index: number): string => (index === 0 ? 'visits' : `visits-${index}`);

const createDeclare =
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
        // The other policy would delete unread visits to make space.
        discard: DiscardPolicy.New,
        num_replicas: replicas,
        max_age: nanos(retentionMs),
        // The server rejects a duplicate window longer than the retention.
        duplicate_window: nanos(retentionMs > 0 ? Math.min(duplicateWindowMs, retentionMs) : duplicateWindowMs),
        ...rest,
      },
    };
  };

export type WorkStreamDeclarations = Readonly<Record<WorkStreamName, StreamDeclaration>>;

/** The declarations of the work streams. */
export function declareWorkStreams(prefix: string, settings: StreamSettings): WorkStreamDeclarations {
  const declare = createDeclare(prefix, settings);
  const workStream = (name: WorkStreamName) =>
    declare(name, `${prefix}.${name}`, 0, {
      description: 'Provider webhooks on their way from provider-webhooks to the worker.',
      retention: RetentionPolicy.Workqueue,
      max_bytes: settings.workMaxBytes[name],
      max_msg_size: settings.maxWorkMessageBytes,
    });
  return { webhooks: workStream('webhooks'), 'unverified-webhooks': workStream('unverified-webhooks') };
}

/** The declarations of the visit streams and the dead letter stream. */
export function declareStreams(prefix: string, settings: StreamSettings): StreamDeclarations {
  const declare = createDeclare(prefix, settings);
  const visitsAt = (index: number) =>
    declare(visitsName(index), `${prefix}.${visitsName(index)}.*`, settings.retentionMs, {
      description: 'Visits between collector and worker.',
      max_bytes: settings.maxBytes,
      max_msg_size: settings.maxMessageBytes,
    });
  return {
    visits: [visitsAt(0), ...Array.from({ length: settings.count - 1 }, (_, n) => visitsAt(n + 1))],
    'dead-letters': declare('dead-letters', `${prefix}.dead-letters`, settings.deadLetterRetentionMs, {
      description: 'Messages that could not be processed, with the reason.',
      max_bytes: settings.deadLetterMaxBytes,
      // Allows requests for the next letter across the gaps that replayed ones leave.
      allow_direct: true,
    }),
  };
}
