import { shareOf } from './fill.ts';
import type { Link } from './link.ts';
import { floorOf } from './positions.ts';

export interface TrimSettings {
  /** Nothing is freed while less than this part of the room is used: what was handled is still good for a second look. */
  readonly above: number;
  /** How much of the room is used afterwards, as far as the readers allow. */
  readonly downTo: number;
  /** So many of the newest messages that were handled stay in any case, though no more than a tenth of all. */
  readonly keptMessages: number;
}

export const defaultTrimSettings: TrimSettings = { above: 0.5, downTo: 0.4, keptMessages: 1_000 };

/**
 * Frees what every reader has handled, oldest first, when the stream is full enough. A log that only forgets by age refuses new
 * visits while it is full of old ones. Resolves to how many messages went.
 */
export async function trimHandled(link: Link, stream: string, settings: TrimSettings): Promise<number> {
  const { above, downTo, keptMessages } = settings;
  const { state, config } = await link.manager.streams.info(stream);
  const share = shareOf(state.bytes, config.max_bytes);
  if (share <= above) return 0;
  const floors: number[] = [];
  for await (const consumer of link.manager.consumers.list(stream)) floors.push(floorOf(consumer, state.last_seq));
  if (floors.length === 0) return 0;
  const wanted = state.first_seq + Math.ceil(state.messages * (1 - downTo / share));
  // The server keeps the message of this sequence and those after it.
  const kept = Math.min(keptMessages, Math.floor(state.messages / 10));
  const seq = Math.min(wanted, Math.min(...floors) - kept + 1);
  if (seq <= state.first_seq) return 0;
  const { purged } = await link.manager.streams.purge(stream, { seq });
  return purged;
}
