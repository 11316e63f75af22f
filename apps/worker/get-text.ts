import type { Outbound } from '@tributary/outbound';

/** A page as text, whole, or a failure. What it said is not repeated in the error: its address may hold a password. */
export async function getText(outbound: Outbound, url: string, signal: AbortSignal): Promise<string> {
  const { status, body, truncated } = await outbound.request(url, { signal });
  const { host } = new URL(url);
  if (status !== 200) throw new Error(`${host} answered ${status}.`);
  if (truncated) throw new Error(`${host} answered more than we read.`);
  return new TextDecoder().decode(body);
}
