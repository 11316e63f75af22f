import { openBucket } from './bucket.ts';
import { openFolder } from './folder.ts';
import type { BucketSettings } from './s3-requests.ts';
import { type Storage, StorageRefused } from './storage.ts';

export { Meter } from './meter.ts';
export { readText } from './read-text.ts';
export { FileNotFound, type Storage, StorageRefused } from './storage.ts';
export { writeStream } from './write-stream.ts';

/** The S3 settings of a process. */
export interface StorageSettings {
  readonly s3Endpoint: string | undefined;
  readonly s3Region: string;
  readonly s3AccessKeyId: string | undefined;
  readonly s3SecretAccessKey: string | undefined;
}

export interface StorageOptions extends Pick<BucketSettings, 'partBytes' | 'pausesMs' | 'resolver'> {
  /** Only for folders: restricts access to the owner. */
  readonly isPrivate?: boolean;
}

const scheme = 's3://';

/** Opens `s3://bucket/path`, or a local folder. */
export function openStorage(
  address: string,
  settings: StorageSettings,
  { isPrivate = false, ...options }: StorageOptions = {},
): Storage {
  if (!address.startsWith(scheme)) return openFolder(address, { isPrivate });
  const { s3Region: region, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = settings;
  if (!accessKeyId || !secretAccessKey)
    throw new StorageRefused(`S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set for ${address}.`);
  const [bucket = '', ...path] = address.slice(scheme.length).replace(/\/+$/, '').split('/');
  const endpoint = settings.s3Endpoint ?? `https://s3.${region}.amazonaws.com`;
  return openBucket({ endpoint, region, bucket, accessKeyId, secretAccessKey, prefix: path.join('/'), ...options });
}
