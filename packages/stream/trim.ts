import { shareOf } from './fill.ts';
import type { Link } from './link.ts';
import { floorOf } from './positions.ts';

export interface TrimSettings {
  /** Nothing is deleted while less than this share of the size limit is used, because handled visits may be read again. */
  readonly above: number;
  /** The share of the size limit in use afterwards, as far as the consumers allow. */
  readonly downTo: number;
  /** This many of the newest handled messages are kept in any case, but at most a tenth of all. */
  readonly keptMessages: number;
}

export const defaultTrimSettings: TrimSettings = { above: 0.5, downTo: 0.4, keptMessages: 1_000 };

/**
 * Deletes the messages that every consumer has handled, oldest first, when the stream is full enough. Otherwise a stream that only expires
 * messages by age would refuse new visits while it is full of handled ones. Resolves to the number of deleted messages.
 */
export async function trimHandled(link: Link, stream: string, settings: TrimSettings): Promise<number> {
  const { above, downTo, keptMessages } = settings;
  const { state, config } = await link.manager.streams.info(stream);
  const share = shareOf(state.bytes, config.max_bytes);
  if (share <= above) return 0;
  const floors: number[] = [];
  for await (const consumer of link.manager.consumers.list(stream)) floors.push(floorOf(consumer, state.last_seq));
  if (floors.length === 0) return 0;
  const target = state.first_seq + Math.ceil(state.messages * (1 - downTo / share));
  // `seq` is the first message that the server keeps.
  const remaining = Math.min(keptMessages, Math.floor(state.messages / 10));
  const seq = Math.min(target, Math.min(...floors) - remaining + 1);
  if (seq <= state.first_seq) return 0;
  const { purged } = await link.manager.streams.purge(stream, { seq });
  return purged;
}
