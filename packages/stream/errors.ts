/** What all errors of the visits log have in common: the log failed, not the caller's own code. */
export abstract class StreamError extends Error {}

/** Nobody listens at the address, or it does not let us in. */
export class StreamUnreachable extends StreamError {
  override readonly name = 'StreamUnreachable';

  /** `place` must come without credentials: this text ends up in logs. */
  constructor(place: string, waitedMs: number, cause: unknown) {
    super(`No NATS server let us in at ${place} within ${waitedMs} ms. Check NATS_URL and that the server runs.`, {
      cause,
    });
  }
}

/** A server is there, but acknowledgements of it would not mean what we promise. */
export class ServerUnsuitable extends StreamError {
  override readonly name = 'ServerUnsuitable';
}

/** A stream of that name exists and cannot be changed into the declared one. */
export class StreamConflict extends StreamError {
  override readonly name = 'StreamConflict';
  readonly stream: string;

  constructor(stream: string, cause: Error) {
    super(`The stream "${stream}" cannot be brought to its declared form: ${cause.message}.`, { cause });
    this.stream = stream;
  }
}

/** The message itself breaks a rule; nothing of its batch was sent, and sending it again will not help. */
export class MessageRefused extends StreamError {
  override readonly name = 'MessageRefused';
}

/** One message whose place in the log is known. */
export interface Receipt {
  readonly id: string;
  readonly sequence: number;
  /** The log already had a message of this id from the last two minutes and kept that one. */
  readonly duplicate: boolean;
}

/**
 * Some messages were not acknowledged. They may or may not be in the log: an acknowledgement can be lost on its way. Publish
 * them again with the same ids; a reader counts an id once.
 */
export class PublishFailed extends StreamError {
  override readonly name = 'PublishFailed';
  readonly acknowledged: readonly Receipt[];
  readonly unacknowledged: readonly string[];

  constructor(acknowledged: readonly Receipt[], unacknowledged: readonly string[], cause: unknown) {
    const total = acknowledged.length + unacknowledged.length;
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    super(
      `The log did not acknowledge ${unacknowledged.length} of ${total} messages${why}. Publish them again with the same ids.`,
      { cause },
    );
    this.acknowledged = acknowledged;
    this.unacknowledged = unacknowledged;
  }
}

/** Somebody asked for a dead letter that is not there, or no longer. */
export class DeadLetterMissing extends StreamError {
  override readonly name = 'DeadLetterMissing';

  constructor(sequence: number) {
    super(`There is no dead letter ${sequence}; it may have been replayed or removed already.`);
  }
}

const awayNames = new Set([
  'ClosedConnectionError',
  'ConnectionError',
  'DrainingConnectionError',
  'NoRespondersError',
  'RequestError',
  'StreamUnreachable',
  'TimeoutError',
]);

/** Whether the log could not be asked: the same may work a little later. */
export function isStreamAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (awayNames.has(cause.name)) return true;
  return false;
}

/**
 * Thrown by a handler when the fault lies outside the messages (a store is away, for example). The consumer keeps the batch
 * and offers it again after the delay, as often as it takes: an outage of an hour must not turn an hour of visits into dead
 * letters.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(reason: string, options: { delayMs: number; cause?: unknown }) {
    super(reason, { cause: options.cause });
    this.delayMs = options.delayMs;
  }
}
