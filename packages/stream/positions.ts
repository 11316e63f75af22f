import { type ConsumerInfo, JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { Link } from './link.ts';
import type { StreamDeclaration } from './streams.ts';

/** A position in the visit stream: a sequence for each stream, separated by commas. Store and compare it, but do not interpret it. */
export type StreamPosition = string;

export const toPosition = (sequences: readonly number[]): StreamPosition => sequences.join();
export const sequencesOf = (position: StreamPosition): number[] => position.split(',').map(Number);

/** Whether a consumer at `through` has passed the position `place`. A stream that did not exist yet contained nothing. */
export function isPassed(through: StreamPosition, place: StreamPosition): boolean {
  const reached = sequencesOf(through);
  return sequencesOf(place).every((sequence, at) => (reached[at] ?? 0) >= sequence);
}

/** The sequence of the newest message that the stream ever stored; 0 before the first. */
export async function lastSequence(link: Link, stream: string): Promise<number> {
  return (await link.manager.streams.info(stream)).state.last_seq;
}

export interface Extent {
  /** The number of messages that the stream holds. */
  readonly held: number;
  /** The number of messages that were deleted from it. */
  readonly gone: number;
}

export async function extentOf(link: Link, stream: string): Promise<Extent> {
  const { first_seq: first, last_seq: last } = (await link.manager.streams.info(stream)).state;
  const gone = Math.max(1, first) - 1;
  return { held: last - gone, gone };
}

export interface Copies {
  /** The name of the server that accepts new messages; undefined during an election. */
  readonly leader: string | undefined;
  /** How many servers hold the whole stream: the leader, and the followers that are up to date. */
  readonly current: number;
  readonly wanted: number;
}

export async function copiesOf(link: Link, stream: string): Promise<Copies> {
  const { cluster, config } = await link.manager.streams.info(stream);
  const followers = cluster?.replicas?.filter(({ current, offline }) => current && !offline).length ?? 0;
  const isLed = !cluster || cluster.leader !== undefined;
  return { leader: cluster?.leader, current: (isLed ? 1 : 0) + followers, wanted: config.num_replicas };
}

/**
 * Every message up to this sequence was handled or became a dead letter. It is 0 for a consumer that never ran. After a crash of the server
 * it may be slightly lower than before: the server then redelivers.
 */
export async function consumedThrough(link: Link, stream: string, consumer: string): Promise<number> {
  // Read before the consumer's state: a message published in between must not count as consumed.
  const last = await lastSequence(link, stream);
  try {
    return floorOf(await link.manager.consumers.info(stream, consumer), last);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound) return 0;
    throw error;
  }
}

/** When the oldest message arrived that a consumer has not handled; undefined if there is none. */
export async function waitingSince(
  link: Link,
  { name, subject }: StreamDeclaration,
  consumer: string,
): Promise<Date | undefined> {
  const last = await lastSequence(link, name);
  const through = await consumedThrough(link, name, consumer);
  if (through >= last) return undefined;
  // The server supports `next_by_subj` here too. The client's types have it only for direct requests, which the visit streams do not allow.
  const next = { seq: through + 1, next_by_subj: `${subject}.>` } as { seq: number };
  return (await link.manager.streams.getMessage(name, next))?.time;
}

/** The position of a consumer; `last` is the newest message before the consumer's state was read. */
export function floorOf({ ack_floor, num_pending, num_ack_pending }: ConsumerInfo, last: number): number {
  const isIdle = num_pending === 0 && num_ack_pending === 0;
  // The ack floor stays behind messages that left the stream unread (expired or erased), so an idle consumer is at the end.
  return isIdle ? Math.max(last, ack_floor.stream_seq) : ack_floor.stream_seq;
}
