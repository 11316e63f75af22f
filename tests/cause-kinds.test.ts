import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CauseKind, causeKinds } from '@tributary/vocabulary';
import { expect, test } from 'vitest';

/** The file or database function that writes each kind of cause. */
const expectedWriters: Record<CauseKind, string> = {
  outcome_recorded: 'packages/rules/causes.ts',
  refund: 'domain/commerce/payments/refunds.ts',
  amount_changed: 'packages/rules/causes.ts',
  moved_in_time: 'packages/rules/causes.ts',
  payer: 'domain/commerce/payments/change-payment.ts',
  details_changed: 'packages/rules/causes.ts',
  late_visit: 'public.mark_touched',
  late_referral: 'domain/commerce/outcomes/mark-dirty.ts',
  link: 'domain/commerce/outcomes/mark-dirty.ts',
  merge: 'public.mark_merged',
  split: 'public.outcomes_follow_split',
  first_payment: 'domain/commerce/outcomes/mark-dirty.ts',
  match: 'domain/commerce/outcomes/counted.ts',
  definition: 'domain/commerce/outcomes/spread-definition.job.ts',
  rate: 'domain/commerce/outcomes/price-outcomes.ts',
  currency: 'domain/commerce/outcomes/price-outcomes.ts',
  rules: 'domain/measurement/attribution/replay.ts',
  replay: 'domain/measurement/attribution/replay.ts',
  repair: 'domain/measurement/reconciliation/repair-reconciliation.ts',
  retry: 'domain/measurement/attribution/attribution.queue.ts',
  erasure: 'domain/commerce/outcomes/erase.ts',
};

/** Only code that matches one of these can write a cause. */
const isWriter = (text: string) => /\bmarkDirty\(|dirty_conversions|CauseKind|attribution_bury_unknown/.test(text);

const root = join(import.meta.dirname, '..');
/** Without the demo, which writes a ledger directly instead of recording events. */
const files = globSync(['domain/**/*.ts', 'packages/rules/**/*.ts', 'apps/**/*.ts'], { cwd: root })
  .filter((path) => !/node_modules|\.test\.ts$|\.fixture\.ts$|^apps\/cli\/demo\//.test(path))
  .map((path) => ({ place: path, text: readFileSync(join(root, path), 'utf8') }));
/** Database functions as defined after all migrations. */
const functions = readFileSync(join(root, 'packages/postgres/schema.sql'), 'utf8')
  .split(/^(?=CREATE (?:FUNCTION|TABLE|VIEW|TRIGGER|INDEX))/m)
  .flatMap((text) => {
    const name = /^CREATE FUNCTION ([\w.]+)/.exec(text)?.[1];
    return name ? [{ place: name, text }] : [];
  });

const writersOf = (kind: CauseKind) =>
  [...files, ...functions]
    .filter(({ text }) => isWriter(text))
    .filter(({ text }) =>
      new RegExp(`[[ ]'${kind}'\\]|'\\{${kind}\\}'|: '${kind}'|\\? '${kind}'|\\b'${kind}' AS cause`).test(text),
    )
    .map(({ place }) => place);

test('each kind of cause is written by exactly one file or database function', () => {
  const found = Object.fromEntries(
    Object.keys(causeKinds).map((kind) => [kind, writersOf(kind as CauseKind)] as const),
  );
  expect(found).toEqual(Object.fromEntries(Object.entries(expectedWriters).map(([kind, place]) => [kind, [place]])));
});
