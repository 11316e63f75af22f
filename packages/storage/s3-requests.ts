import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createOutbound,
  type HostResolver,
  OutboundFailed,
  type OutboundRequest,
  type OutboundResponse,
} from '@tributary/outbound';
import { AwsV4Signer } from 'aws4fetch';
import { StorageRefused } from './storage.ts';

export interface BucketSettings {
  /** Where the storage answers, such as `https://s3.eu-central-1.amazonaws.com`. The operator's own, so it may be in his network. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Most bytes of one request or answer. Storages refuse parts below 5 MiB and want those of one file to be of one size. */
  readonly partBytes?: number;
  readonly timeoutMs?: number;
  /** Waits between two tries. */
  readonly pausesMs?: readonly number[];
  /** Replaced in tests. */
  readonly resolver?: HostResolver;
}

export const defaultPartBytes = 16 * 1_048_576;

interface Asked {
  readonly method: NonNullable<OutboundRequest['method']>;
  /** Of the object; empty: the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly headers: OutboundResponse['headers'];
  readonly body: Buffer;
  /** The storage's word for what is wrong, where something is. */
  readonly code: string | undefined;
}

export type Ask = (asked: Asked) => Promise<Answer>;

/** Signed requests to a bucket. What fails on the way or at the storage is tried again; what it refuses is said in our words, but for what is not there. */
export function openRequests(settings: BucketSettings): Ask {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings;
  const {
    partBytes = defaultPartBytes,
    timeoutMs = 120_000,
    pausesMs = [200, 1_000, 5_000, 15_000],
    resolver,
  } = settings;
  const outbound = createOutbound({
    timeoutMs,
    // An answer that was asked for by its range, or a page of names.
    maxResponseBytes: Math.max(partBytes, 4 * 1_048_576),
    localHosts: [URL.parse(endpoint)?.hostname ?? ''],
    ...(resolver && { resolver }),
  });

  async function askOnce({ method, key, query = {}, headers = {}, body }: Asked): Promise<Answer> {
    const url = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}${key === '' ? '' : `/${key}`}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const sha256 = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    // The signer reads the body only where it has no hash of it.
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': sha256 },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region,
    });
    const signed = await signer.sign();
    const answer = await outbound.request(signed.url.href, {
      method,
      headers: Object.fromEntries(signed.headers),
      ...(body && { body }),
    });
    if (answer.truncated) throw new OutboundFailed('no_valid_response');
    const text = Buffer.from(answer.body);
    // Some work goes on after the 200 was said, and its failure is told behind it.
    const isFailure = answer.status >= 300 || (method === 'POST' && text.includes('<Error>'));
    const code = isFailure ? (wordIn(text, 'Code') ?? '') : undefined;
    return { status: answer.status, headers: answer.headers, body: text, code };
  }

  return async (asked) => {
    for (let tries = 0; ; tries += 1) {
      const pauseMs = pausesMs[tries];
      try {
        const answer = await askOnce(asked);
        const isPassing = answer.status >= 500 || answer.status === 429 || answer.code === 'SlowDown';
        const isToldLate = answer.status < 300 && answer.code !== undefined;
        if (!isPassing && !isToldLate) {
          refuseOurs(answer, settings);
          return answer;
        }
        if (pauseMs === undefined)
          throw new StorageRefused(`The storage at ${endpoint} fails: ${answer.code || answer.status}.`);
      } catch (error) {
        if (!(error instanceof OutboundFailed)) throw error;
        if (pauseMs === undefined)
          throw new StorageRefused(`The storage at ${endpoint} does not answer: ${error.message}`, { cause: error });
      }
      await sleep(pauseMs);
    }
  };
}

/** What the settings are to blame for. A 404 of an object and a failed precondition are for whoever asked. */
function refuseOurs({ status, code }: Answer, { bucket, endpoint }: BucketSettings): void {
  if (code === undefined || (status === 404 && code !== 'NoSuchBucket') || status === 412 || status === 416) return;
  throw new StorageRefused(words[code]?.(bucket) ?? `The storage at ${endpoint} refuses it: ${status} ${code}`.trim());
}

const words: Readonly<Record<string, (bucket: string) => string>> = {
  SignatureDoesNotMatch: () =>
    'The storage does not know our signature: S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID, or S3_REGION is another.',
  InvalidAccessKeyId: () => 'The storage does not know the key of S3_ACCESS_KEY_ID.',
  AccessDenied: (bucket) =>
    `The key of S3_ACCESS_KEY_ID may not do this in the bucket "${bucket}". It needs to read, write, list and delete.`,
  NoSuchBucket: (bucket) => `There is no bucket "${bucket}" in the storage. Make it first.`,
  RequestTimeTooSkewed: () => 'The storage refuses our signature because the clock of this machine is wrong.',
};

/** The content of the first such element; names are asked for in an encoding that needs no XML reader. */
export const wordIn = (text: Buffer, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(text.toString('utf8'))?.[1];
