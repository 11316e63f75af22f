export { eventually } from './eventually.ts';
export { type FlakyLine, openFlakyLine } from './flaky-line.ts';
export { openPrivateStream, type PrivateStream, testUrl } from './private-stream.ts';
