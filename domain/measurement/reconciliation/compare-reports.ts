import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import { isAnyMarked } from '@tributary/domain/measurement/attribution';
import { compareReportDays, compareReports as readTotals } from '@tributary/domain/measurement/reports';
import { findDays } from '@tributary/domain/tenancy/tenants';
import type { Ledger } from '@tributary/postgres';
import { fromMinorUnits } from '@tributary/rules';
import type { AttributionModel, EntityLevel } from '@tributary/vocabulary';
import { type Compared, type Finding, type Span, tally } from './compared.ts';

/** A conversion may be attributed while a statement reads: only a difference that is the same at both reads is a fault. */
const recheckDelayMs = 200;

type Off = Awaited<ReturnType<typeof compareReportDays>>[number];

/**
 * Checks that reports distribute the whole value: rows plus unattributed of each level and model against the conversions. All days, levels
 * and models are read in one statement; only where they differ, the days are found by the credit of each conversion.
 */
export async function compareReports(
  { ledger, clickhouse }: { readonly ledger: Ledger; readonly clickhouse: ClickHouse },
  { profileId, dateFrom, dateTo }: Span,
  maxDifferences: number,
  signal: AbortSignal,
): Promise<Compared> {
  const bounds = await boundsOf(dateFrom, dateTo);
  const { currency } = bounds;
  const findings: Finding[] = [];
  const pending = new Map<string, boolean>();
  // A conversion with wrong shares is wrong at every level, so a difference that one level has confirmed needs no second read at the next.
  const shown = new Map<AttributionModel, ReadonlySet<string>>();
  for (const { level, model, inReport, inColumns } of await readTotals(
    { clickhouse },
    { profileId, ...bounds },
    signal,
  )) {
    if (inReport === inColumns) continue;
    const report = { profileId, ...bounds, level, model };
    const confirmed = shown.get(model);
    let off = await compareReportDays({ clickhouse }, report, signal);
    if (off.some((one) => !confirmed?.has(keyOf(one)))) {
      await sleep(recheckDelayMs, undefined, { signal });
      const first = new Set(off.map(keyOf));
      off = (await compareReportDays({ clickhouse }, report, signal)).filter((one) => first.has(keyOf(one)));
    }
    shown.set(model, new Set(off.map(keyOf)));
    for (const one of off) if (findings.length < maxDifferences) findings.push(await findingOf(one, level, model));
  }
  return {
    findings,
    unread: [],
    days: [...Map.groupBy(findings, ({ day }) => day)].map(([day, of]) => ({
      book: 'reports',
      day,
      channel: null,
      currency,
      ...tally(of),
    })),
  };

  function boundsOf(first: string, last: string) {
    return ledger.transaction((tx) => findDays(tx, profileId, first, last), { readOnly: true });
  }

  /** Marked conversions of the day will be attributed soon, and their credit with them. */
  async function isMarked(day: string): Promise<boolean> {
    const { from, until } = await boundsOf(day, day);
    return ledger.transaction((tx) => isAnyMarked(tx, profileId, from, until), { readOnly: true });
  }

  async function findingOf({ day, ...sides }: Off, level: EntityLevel, model: AttributionModel): Promise<Finding> {
    const isPending = pending.get(day) ?? (await isMarked(day));
    pending.set(day, isPending);
    const inReports = fromMinorUnits(sides.inReport, currency);
    const inColumns = fromMinorUnits(sides.inColumns, currency);
    return { book: 'reports', kind: 'report_off', day, currency, level, model, inReports, inColumns, isPending };
  }
}

const keyOf = ({ day, inReport, inColumns }: Off): string => `${day} ${inReport - inColumns}`;
