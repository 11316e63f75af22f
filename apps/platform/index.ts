export {
  type BackupFile,
  type BackupFolder,
  configuredBackupFolder,
  findBackupFolder,
  manifestsFolder,
  newestBackupAt,
  openBackupFolder,
} from './backups/folder.ts';
export { type DeletionNote, forgetNoted, keepsNotes, readNoted } from './backups/journal.ts';
export { openPlatform, type Platform, withPlatform } from './platform.ts';
export { type Running, runProcess } from './run-process.ts';
export type { TestClock } from './test-clock.ts';
