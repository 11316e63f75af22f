export {
  type BackupFolder,
  configuredBackupFolder,
  findBackupFolder,
  manifestsFolder,
  newestBackupAt,
  openBackupFolder,
  type Written,
} from './backups/folder.ts';
export { forgetNoted, keepsNotes, type Noted, readNoted } from './backups/journal.ts';
export { openPlatform, type Platform, withPlatform } from './platform.ts';
export { type Running, runProcess } from './run-process.ts';
export type { TestClock } from './test-clock.ts';
