export type { FlakyLine } from '../flaky-line.ts';
export { eventually } from './eventually.ts';
export { openFlakyLine } from './flaky-line.ts';
export { destroyStreams, openPrivateStream, type PrivateStream, testUrl } from './private-stream.ts';
