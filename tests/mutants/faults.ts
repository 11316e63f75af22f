import type { Fault } from './fault.ts';
import { faults as access } from './faults/access.ts';
import { faults as attribution } from './faults/attribution.ts';
import { faults as conformance } from './faults/conformance.ts';
import { faults as credits } from './faults/credits.ts';
import { faults as erasure } from './faults/erasure.ts';
import { faults as identity } from './faults/identity.ts';
import { faults as ledger } from './faults/ledger.ts';
import { faults as money } from './faults/money.ts';

/** Faults in money, tenant isolation, erasure, consent and attribution that the tests must notice. Random draws cover all other code. */
export const allFaults: readonly Fault[] = [
  ...access,
  ...attribution,
  ...conformance,
  ...credits,
  ...erasure,
  ...identity,
  ...ledger,
  ...money,
];
