import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import { isAnyMarked } from '@tributary/domain/attribution';
import { compareReport } from '@tributary/domain/reports';
import { findDays } from '@tributary/domain/tenants';
import type { Ledger } from '@tributary/postgres';
import { daysOf, fromMinorUnits } from '@tributary/rules';
import { type AttributionModel, attributionModelNames, type EntityLevel, entityLevels } from '@tributary/vocabulary';
import { type Compared, type Finding, type Span, tally } from './compared.ts';

/** A conversion may be worked out while a statement reads: what differs at every look does so by itself. */
const looks = 3;
const betweenLooksMs = 200;

interface Off {
  readonly day: string;
  readonly inReport: bigint;
  readonly inColumns: bigint;
  readonly isPending: boolean;
}

/**
 * Whether reports give away what there is: rows and unattributed of each level and model, against the conversions. All days at once, and by
 * halves where they differ, so that what is right costs one statement each.
 */
export async function compareReports(
  { ledger, clickhouse }: { readonly ledger: Ledger; readonly clickhouse: ClickHouse },
  { profileId, dateFrom, dateTo }: Span,
  most: number,
  signal: AbortSignal,
): Promise<Compared> {
  const { currency } = await boundsOf(dateFrom, dateTo);
  const all = daysOf(dateFrom, dateTo);
  const findings: Finding[] = [];
  models: for (const model of attributionModelNames) {
    // A conversion whose shares are wrong is so at every level, so the days of one level are tried first.
    let known: readonly string[] = [];
    for (const level of entityLevels) {
      const sides = await look(dateFrom, dateTo, level, model);
      if (sides.conversions === 0) break models;
      if (sides.inReport === sides.inColumns) continue;
      let off = await onDays(known, level, model);
      if (sum(off) !== sides.inReport - sides.inColumns) off = await search(all, level, model);
      known = off.map(({ day }) => day);
      findings.push(...off.map((one) => findingOf(one, level, model)).slice(0, most - findings.length));
    }
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

  async function search(days: readonly string[], level: EntityLevel, model: AttributionModel): Promise<Off[]> {
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (days.length === 1) return onDays(days, level, model);
    const { inReport, inColumns } = await look(first, last, level, model);
    if (inReport === inColumns) return [];
    const half = days.length >> 1;
    return [...(await search(days.slice(0, half), level, model)), ...(await search(days.slice(half), level, model))];
  }

  /** Each day by itself, looked at more than once where it differs. */
  async function onDays(days: readonly string[], level: EntityLevel, model: AttributionModel): Promise<Off[]> {
    const off: Off[] = [];
    for (const day of days) {
      for (let nth = 1; nth <= looks; nth += 1) {
        const { inReport, inColumns } = await look(day, day, level, model);
        if (inReport === inColumns) break;
        if (nth === looks) off.push({ day, inReport, inColumns, isPending: await isMarked(day) });
        else await sleep(betweenLooksMs, undefined, { signal });
      }
    }
    return off;
  }

  async function look(first: string, last: string, level: EntityLevel, model: AttributionModel) {
    const { from, until } = await boundsOf(first, last);
    return compareReport({ clickhouse }, { profileId, from, until, level, model }, signal);
  }

  async function isMarked(day: string): Promise<boolean> {
    const { from, until } = await boundsOf(day, day);
    return ledger.transaction((tx) => isAnyMarked(tx, profileId, from, until), { readOnly: true });
  }

  function boundsOf(first: string, last: string) {
    return ledger.transaction((tx) => findDays(tx, profileId, first, last), { readOnly: true });
  }

  function findingOf({ day, isPending, ...sides }: Off, level: EntityLevel, model: AttributionModel): Finding {
    const inReports = fromMinorUnits(sides.inReport, currency);
    const inColumns = fromMinorUnits(sides.inColumns, currency);
    return { book: 'reports', kind: 'report_off', day, currency, level, model, inReports, inColumns, isPending };
  }
}

const sum = (off: readonly Off[]): bigint => off.reduce((total, one) => total + one.inReport - one.inColumns, 0n);
