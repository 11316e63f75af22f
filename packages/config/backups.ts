import { z } from 'zod';
import { address, keyRing, optional, setting, wholeNumber } from './setting.ts';

/** Where backups are stored, and their keys. */
export const backups = {
  backupFolder: optional(
    'BACKUP_FOLDER',
    z.string().min(1),
    'Where "tributary backup" keeps backups, and where the worker notes who was erased since, so that a restore erases them again: a folder on another disk, or `s3://bucket/path` of S3-compatible storage.',
  ),
  backupKeys: optional(
    'BACKUP_KEYS',
    keyRing,
    'Keys that seal backups, written like ENCRYPTION_KEYS; the first one seals, all of them open. Keep a copy away from this machine: without it no backup opens.',
    { secret: true },
  ),
  backupRetentionDays: setting(
    'BACKUP_RETENTION_DAYS',
    wholeNumber(0, 3_650),
    'How long backups are kept; "tributary backup" deletes older ones. The certificate of an erasure says when the last one that still holds the person is gone.',
    { fallback: '35' },
  ),
};

/** S3-compatible storage, for URLs that begin with `s3://`. */
export const storage = {
  s3Endpoint: optional(
    'S3_ENDPOINT',
    address('http:', 'https:'),
    'Where S3-compatible storage answers, such as https://storage.example.com. It may be in your own network. Unset: Amazon S3 of S3_REGION.',
  ),
  s3Region: setting(
    'S3_REGION',
    z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be a region'),
    'The region that requests to it are signed for.',
    {
      fallback: 'us-east-1',
    },
  ),
  s3AccessKeyId: optional(
    'S3_ACCESS_KEY_ID',
    z.string().min(1),
    'The id of the key with which it is asked. The key needs to read, write, list and delete.',
  ),
  s3SecretAccessKey: optional('S3_SECRET_ACCESS_KEY', z.string().min(1), 'The secret of that key.', { secret: true }),
};
