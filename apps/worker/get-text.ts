import type { Outbound } from '@tributary/outbound';

/** Fetches a whole document as text, or throws. The error names only the host, because the URL may contain a password. */
export async function getText(outbound: Outbound, url: string, signal: AbortSignal): Promise<string> {
  const { status, body, truncated } = await outbound.request(url, { signal });
  const { host } = new URL(url);
  if (status !== 200) throw new Error(`${host} answered ${status}.`);
  if (truncated) throw new Error(`${host} answered more than we read.`);
  return new TextDecoder().decode(body);
}
