/** The base of all errors of the visit stream: the stream failed, not the caller. */
export abstract class StreamError extends Error {}

/** No server answers at the address, or it rejects the credentials. */
export class StreamUnreachable extends StreamError {
  override readonly name = 'StreamUnreachable';

  /** `place` must not contain credentials because the message ends up in logs. */
  constructor(place: string, waitedMs: number, cause: unknown) {
    super(`No NATS server let us in at ${place} within ${waitedMs} ms. Check NATS_URL and that the server runs.`, {
      cause,
    });
  }
}

/** The server does not meet the requirements, so its acknowledgements would not be reliable. */
export class ServerUnsuitable extends StreamError {
  override readonly name = 'ServerUnsuitable';
}

/** A stream of that name exists and cannot be changed to the declared settings. */
export class StreamConflict extends StreamError {
  override readonly name = 'StreamConflict';
  readonly stream: string;

  constructor(stream: string, cause: Error) {
    super(`The stream "${stream}" cannot be brought to its declared form: ${cause.message}.`, { cause });
    this.stream = stream;
  }
}

/** The message itself is invalid; nothing of its batch was sent, and a retry will not help. */
export class MessageRefused extends StreamError {
  override readonly name = 'MessageRefused';
}

/** A message that is stored at a known position. */
export interface Receipt {
  readonly id: string;
  readonly sequence: number;
  /** The stream already had a message with this id from the last two minutes and kept that one. */
  readonly duplicate: boolean;
}

/**
 * Some messages were not acknowledged. They may be stored nevertheless because an acknowledgement can be lost. Publish them again with the
 * same ids; a consumer counts an id once.
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

/** The requested dead letter does not exist, or no longer. */
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

/** Whether the stream was unavailable, so that a later retry can succeed. */
export function isStreamUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (awayNames.has(cause.name)) return true;
  return false;
}

/**
 * Thrown by a handler when the fault lies outside the messages, such as an unavailable store. The consumer keeps the batch and tries it
 * again after the delay, without a limit. An outage of an hour must not turn an hour of visits into dead letters.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(reason: string, options: { delayMs: number; cause?: unknown }) {
    super(reason, { cause: options.cause });
    this.delayMs = options.delayMs;
  }
}
