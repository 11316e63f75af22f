import { type FlakyLine, openFlakyLineTo } from '../flaky-proxy.ts';
import { testUrl } from './private-stream.ts';

/** A TCP proxy to the shared server that a test can break without breaking the connections of other tests. */
export const openFlakyProxy = (): Promise<FlakyLine> => openFlakyLineTo(testUrl);
