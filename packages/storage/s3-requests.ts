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
  /**
   * The URL of the storage, such as `https://s3.eu-central-1.amazonaws.com`. The operator configures it, so it may be in a private network.
   */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Size limit of a request or response body. Storages reject parts below 5 MiB, and all parts of a file must have one size. */
  readonly partBytes?: number;
  readonly timeoutMs?: number;
  /** The pauses between tries. */
  readonly pausesMs?: readonly number[];
  /** Replaced in tests. */
  readonly resolver?: HostResolver;
}

export const defaultPartBytes = 16 * 1_048_576;

interface StorageRequest {
  readonly method: NonNullable<OutboundRequest['method']>;
  /** The key of the object; empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly headers: OutboundResponse['headers'];
  readonly body: Buffer;
  /** The error code of the storage, if there is one. */
  readonly code: string | undefined;
}

export type SendRequest = (request: StorageRequest) => Promise<Answer>;

/**
 * Sends signed requests to a bucket. Network and storage failures are retried. Refusals are thrown with the setting that causes them,
 * except for missing objects.
 */
export function openRequests(settings: BucketSettings): SendRequest {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings;
  const {
    partBytes = defaultPartBytes,
    timeoutMs = 120_000,
    pausesMs = [200, 1_000, 5_000, 15_000],
    resolver,
  } = settings;
  const outbound = createOutbound({
    timeoutMs,
    // The size of a requested range, or of a page of names.
    maxResponseBytes: Math.max(partBytes, 4 * 1_048_576),
    localHosts: [URL.parse(endpoint)?.hostname ?? ''],
    ...(resolver && { resolver }),
  });

  async function sendOnce({ method, key, query = {}, headers = {}, body }: StorageRequest): Promise<Answer> {
    const url = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}${key === '' ? '' : `/${key}`}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const sha256 = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    // The signer reads the body only if it has no hash of it.
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
    // Some operations continue after status 200 was sent, and report their failure in the body.
    const isFailure = answer.status >= 300 || (method === 'POST' && text.includes('<Error>'));
    const code = isFailure ? (readElement(text, 'Code') ?? '') : undefined;
    return { status: answer.status, headers: answer.headers, body: text, code };
  }

  return async (request) => {
    for (let tries = 0; ; tries += 1) {
      const pauseMs = pausesMs[tries];
      try {
        const answer = await sendOnce(request);
        const isTransient = answer.status >= 500 || answer.status === 429 || answer.code === 'SlowDown';
        const isLateFailure = answer.status < 300 && answer.code !== undefined;
        if (!isTransient && !isLateFailure) {
          throwRefusal(answer, settings);
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

/** Throws for refusals that are caused by the settings. The caller handles a missing object and a failed precondition. */
function throwRefusal({ status, code }: Answer, { bucket, endpoint }: BucketSettings): void {
  if (code === undefined || (status === 404 && code !== 'NoSuchBucket') || status === 412 || status === 416) return;
  throw new StorageRefused(
    refusalMessages[code]?.(bucket) ?? `The storage at ${endpoint} refuses it: ${status} ${code}`.trim(),
  );
}

const refusalMessages: Readonly<Record<string, (bucket: string) => string>> = {
  SignatureDoesNotMatch: () =>
    'The storage does not know our signature: S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID, or S3_REGION is another.',
  InvalidAccessKeyId: () => 'The storage does not know the key of S3_ACCESS_KEY_ID.',
  AccessDenied: (bucket) =>
    `The key of S3_ACCESS_KEY_ID may not do this in the bucket "${bucket}". It needs to read, write, list and delete.`,
  NoSuchBucket: (bucket) => `There is no bucket "${bucket}" in the storage. Make it first.`,
  RequestTimeTooSkewed: () => 'The storage refuses our signature because the clock of this machine is wrong.',
};

/** The content of the first such element. Names are requested in an encoding that needs no XML parser. */
export const readElement = (text: Buffer, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(text.toString('utf8'))?.[1];
