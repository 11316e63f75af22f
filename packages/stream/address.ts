import { MessageRefused } from './errors.ts';
import { type Headers, headerFault } from './headers.ts';
import { partitionOf } from './partition.ts';
import type { StreamDeclaration } from './streams.ts';

export interface OutgoingMessage {
  /** Created by the sender and reused for retries: the same id within two minutes is stored once. */
  readonly id: string;
  /** The index of the stream, from `Stream.placeOf` of the profile; the first stream by default. */
  readonly place?: number;
  /** Messages with the same key share a partition. For visits it consists of profile and visitor. */
  readonly key: string;
  readonly payload: Uint8Array;
  readonly headers?: Headers;
}

/** A message with its stream and subject. */
export interface AddressedMessage {
  readonly stream: string;
  readonly subject: string;
  readonly id: string;
  readonly payload: Uint8Array;
  readonly headers: Headers;
}

/** Assigns visits their partition, and refuses the whole batch if the stream would not accept one of its messages. */
export function addressVisits(
  messages: readonly OutgoingMessage[],
  streams: readonly StreamDeclaration[],
  limits: { readonly partitions: number; readonly maxMessageBytes: number },
): AddressedMessage[] {
  return messages.map(({ id, place = 0, key, payload, headers = {} }) => {
    const visits = streams[place];
    if (!visits) throw new MessageRefused(`There is no stream ${place} for the message "${id}".`);
    const fault = idFault(id) ?? headerFault(headers) ?? sizeFault(payload, id, headers, limits.maxMessageBytes);
    if (fault) throw new MessageRefused(fault);
    const subject = `${visits.subject}.${partitionOf(key, limits.partitions)}`;
    return { stream: visits.name, subject, id, payload, headers };
  });
}

/** Refuses a message that the work stream would not accept. */
export function addressWork(
  { id, payload, headers = {} }: Omit<OutgoingMessage, 'key' | 'place'>,
  { name, subject }: StreamDeclaration,
  maxBytes: number,
): AddressedMessage {
  const fault = idFault(id) ?? headerFault(headers) ?? sizeFault(payload, id, headers, maxBytes);
  if (fault) throw new MessageRefused(fault);
  return { stream: name, subject, id, payload, headers };
}

function idFault(id: string): string | undefined {
  return /^[\x21-\x7e]{1,200}$/.test(id) ? undefined : 'A message id is 1 to 200 visible ASCII characters.';
}

function sizeFault(payload: Uint8Array, id: string, headers: Headers, most: number): string | undefined {
  // Space for this package's own headers, including those of a replay: a message that was accepted once must be accepted again.
  const frame = 400 + id.length;
  const bytes = Object.entries(headers).reduce((sum, pair) => sum + Buffer.byteLength(pair.join()) + 4, frame);
  const total = payload.byteLength + bytes;
  return total <= most ? undefined : `The message "${id}" has ${total} bytes with its headers; the log takes ${most}.`;
}
