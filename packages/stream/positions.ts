import { type ConsumerInfo, JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { Link } from './link.ts';
import type { StreamDeclaration } from './streams.ts';

/** A place in the log: a sequence for each stream of visits, with commas between. To be kept and compared, not to be read. */
export type LogPosition = string;

export const toPosition = (sequences: readonly number[]): LogPosition => sequences.join();
export const sequencesOf = (position: LogPosition): number[] => position.split(',').map(Number);

/** Whether somebody who has come so far has passed a place. Of a stream that was not there yet, nothing lay before it. */
export function isPassed(through: LogPosition, place: LogPosition): boolean {
  const reached = sequencesOf(through);
  return sequencesOf(place).every((sequence, at) => (reached[at] ?? 0) >= sequence);
}

/** The sequence of the newest message the stream ever took; 0 before the first. */
export async function lastSequence(link: Link, stream: string): Promise<number> {
  return (await link.manager.streams.info(stream)).state.last_seq;
}

export interface Extent {
  /** How many messages the log holds, */
  readonly held: number;
  /** and how many have left it. */
  readonly gone: number;
}

export async function extentOf(link: Link, stream: string): Promise<Extent> {
  const { first_seq: first, last_seq: last } = (await link.manager.streams.info(stream)).state;
  const gone = Math.max(1, first) - 1;
  return { held: last - gone, gone };
}

export interface Copies {
  /** The name of the server that takes new messages; undefined while they choose one. */
  readonly leader: string | undefined;
  /** How many servers hold all that the stream has: the leader, and those that have caught up with it. */
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
 * Every message up to this sequence was handled or became a dead letter. A consumer that never ran has passed nothing.
 * After a crash of the server it may stand a little lower than before: the server then delivers again what it forgot.
 */
export async function consumedThrough(link: Link, stream: string, consumer: string): Promise<number> {
  // Asked before the consumer: a message published in between must not count as consumed.
  const last = await lastSequence(link, stream);
  try {
    return floorOf(await link.manager.consumers.info(stream, consumer), last);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound) return 0;
    throw error;
  }
}

/** When the oldest message came that a consumer has not handled; undefined where none waits. */
export async function waitingSince(
  link: Link,
  { name, subject }: StreamDeclaration,
  consumer: string,
): Promise<Date | undefined> {
  const last = await lastSequence(link, name);
  const through = await consumedThrough(link, name, consumer);
  if (through >= last) return undefined;
  // The server takes `next_by_subj` here as well; the client's types know it of direct requests only, which the visits do not allow.
  const next = { seq: through + 1, next_by_subj: `${subject}.>` } as { seq: number };
  return (await link.manager.streams.getMessage(name, next))?.time;
}

/** How far a consumer is, when `last` was the newest message before it was asked. */
export function floorOf({ ack_floor, num_pending, num_ack_pending }: ConsumerInfo, last: number): number {
  const isIdle = num_pending === 0 && num_ack_pending === 0;
  // The floor stays behind messages that left the stream unread (aged out, erased), so an idle consumer is at the end.
  return isIdle ? Math.max(last, ack_floor.stream_seq) : ack_floor.stream_seq;
}
