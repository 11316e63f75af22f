import type { Clock } from '@tributary/clock';
import { writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import { createOperator, type Operator } from '@tributary/operations';
import type { Testkit } from './testkit.ts';

/** The operator at the command line, on the test's clock. */
export const operatorOf = ({
  app,
  owner,
  clock,
}: Pick<Testkit, 'app' | 'owner'> & { readonly clock: Pick<Clock, 'now'> }): Operator =>
  createOperator({ app, owner, audit: writeAudit, now: () => clock.now() });
