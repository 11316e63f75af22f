import { z } from 'zod';
import { keyRing, optional, setting, wholeNumber } from './setting.ts';

/** Where backups are, and under which keys. */
export const backups = {
  backupFolder: optional(
    'BACKUP_FOLDER',
    z.string().min(1),
    'Where "tributary backup" keeps backups, and where the worker notes who was erased since, so that a restore erases them again. Another disk, or storage that is mounted.',
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
