import type { Fault } from './fault.ts';
import { faults as access } from './faults/access.ts';
import { faults as attribution } from './faults/attribution.ts';
import { faults as erasure } from './faults/erasure.ts';
import { faults as identity } from './faults/identity.ts';
import { faults as ingestion } from './faults/ingestion.ts';
import { faults as money } from './faults/money.ts';
import { faults as reports } from './faults/reports.ts';

/** Every mistake that somebody could make and tests should notice, by what it is about. */
export const allFaults: readonly Fault[] = [
  ...access,
  ...attribution,
  ...erasure,
  ...identity,
  ...ingestion,
  ...money,
  ...reports,
];
