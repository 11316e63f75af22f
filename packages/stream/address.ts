import { MessageRefused } from './errors.ts';
import { type Headers, headerFault } from './headers.ts';
import { partitionOf } from './partition.ts';
import type { StreamDeclaration } from './streams.ts';

export interface OutgoingMessage {
  /** Made by the sender and kept over its retries: the same id within two minutes is stored once. */
  readonly id: string;
  /** In which of the streams, as `Stream.placeOf` says it of its profile; the first unless said otherwise. */
  readonly place?: number;
  /** Messages of one key share a partition; for visits it is profile and visitor. */
  readonly key: string;
  readonly payload: Uint8Array;
  readonly headers?: Headers;
}

/** A message with its address, as the log takes it. */
export interface AddressedMessage {
  readonly stream: string;
  readonly subject: string;
  readonly id: string;
  readonly payload: Uint8Array;
  readonly headers: Headers;
}

/** Gives visits their partition, and refuses what the log could not take before anything of the batch is sent. */
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

/** Validates a message for a work stream before it is sent. */
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
  // Our own headers, those of a replay included: what came in once must be able to come in again.
  const frame = 400 + id.length;
  const bytes = Object.entries(headers).reduce((sum, pair) => sum + Buffer.byteLength(pair.join()) + 4, frame);
  const total = payload.byteLength + bytes;
  return total <= most ? undefined : `The message "${id}" has ${total} bytes with its headers; the log takes ${most}.`;
}
