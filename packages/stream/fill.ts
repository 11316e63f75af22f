import type { Link } from './link.ts';

/** How full a stream is. */
export interface Fill {
  readonly bytes: number;
  /** From 0 to 1; 0 without a size limit. */
  readonly share: number;
}

export async function fillOf(link: Link, stream: string): Promise<Fill> {
  const { state, config } = await link.manager.streams.info(stream);
  return { bytes: state.bytes, share: shareOf(state.bytes, config.max_bytes) };
}

export const shareOf = (bytes: number, maxBytes: number): number => (maxBytes > 0 ? bytes / maxBytes : 0);
