export type { FlakyLine } from '../flaky-proxy.ts';
export { eventually } from './eventually.ts';
export { openFlakyLine } from './flaky-proxy.ts';
export { destroyStreams, openPrivateStream, type PrivateStream, testUrl } from './private-stream.ts';
