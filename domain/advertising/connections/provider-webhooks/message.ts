import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { WebhookDelivery } from '@tributary/providers';
import type { Opener, Sealer, SecretLocation } from '@tributary/vault';
import { channelNames, limits } from '@tributary/vocabulary';
import type { ProviderWebhook } from './apply.ts';

/** A webhook in the stream. Without the private key of the stream, only its provider and time are readable. */
export interface WebhookMessage {
  readonly id: string;
  readonly headers: Readonly<Record<'Channel' | 'Received-At', string>>;
  readonly payload: Buffer;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** The fastest level compresses JSON to a tenth or less. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const maxHeaderBytes = 64 * 1_024;

/** Compresses before encrypting, because ciphertext does not compress. */
export async function sealWebhook(
  sealer: Pick<Sealer, 'sealBytes'>,
  id: string,
  { channel, delivery, receivedAt }: ProviderWebhook,
): Promise<WebhookMessage> {
  const headers = { Channel: channel, 'Received-At': receivedAt.toISOString() };
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(delivery.headers)}\n`), delivery.body]);
  return { id, headers, payload: sealer.sealBytes(await compress(plain, compression), locateSecret(id, headers)) };
}

/** Undefined if the message is not a webhook. Throws UnreadableSecret if no key decrypts it. */
export async function openWebhook(
  opener: Pick<Opener, 'openBytes'>,
  { id, headers, payload }: { id: string; headers: Readonly<Record<string, string>>; payload: Uint8Array },
): Promise<ProviderWebhook | undefined> {
  const channel = channelNames.find((name) => name === headers.Channel);
  const receivedAt = new Date(headers['Received-At'] ?? '');
  if (!channel || Number.isNaN(receivedAt.getTime())) return undefined;
  const location = locateSecret(id, { Channel: channel, 'Received-At': headers['Received-At'] ?? '' });
  const compressed = opener.openBytes(Buffer.from(payload), location);
  const plain = await decompress(compressed, { maxOutputLength: limits.providerWebhooks.bytes + maxHeaderBytes });
  const end = plain.indexOf('\n');
  const headersAsSent = JSON.parse(plain.toString('utf8', 0, end)) as WebhookDelivery['headers'];
  return { channel, receivedAt, delivery: { headers: headersAsSent, body: plain.subarray(end + 1) } };
}

/** Provider and time are authenticated data, so that neither can be modified in the stream. */
const locateSecret = (id: string, headers: WebhookMessage['headers']): SecretLocation => ({
  table: 'stream',
  column: `webhooks ${headers.Channel} ${headers['Received-At']}`,
  row: id,
  profileId: '',
});
