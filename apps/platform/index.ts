export { openPlatform, type Platform, withPlatform } from './platform.ts';
export { type Running, runProcess } from './run-process.ts';
