import { type FlakyLine, openFlakyLineTo } from '../flaky-line.ts';
import { testUrl } from './private-stream.ts';

/** A line to the shared server that a test can break without breaking everybody else's. */
export const openFlakyLine = (): Promise<FlakyLine> => openFlakyLineTo(testUrl);
