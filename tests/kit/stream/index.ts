export type { FlakyLine } from '../flaky-proxy.ts';
export { eventually } from './eventually.ts';
export { openFlakyProxy } from './flaky-proxy.ts';
export { destroyStreams, openPrivateStream, type PrivateStream, testUrl } from './private-stream.ts';
