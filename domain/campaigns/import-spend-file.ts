import { judgeSpendRow, type SpendFault } from '@tributary/contract';
import { findProfile } from '@tributary/domain/tenants';
import type { Postgres } from '@tributary/postgres';
import { goodOf, readJudged } from './read-spend.ts';
import { type RecordedSpend, recordSpend } from './record-spend.ts';

/** A row of a file: its cells by the names of their columns. */
export interface SpendCells {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

export interface ImportedSpend {
  readonly recorded: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: readonly (SpendFault & { readonly line: number })[];
}

/** Takes rows of a file as POST /spend takes them, a batch in one transaction. */
export interface SpendImporter {
  import(rows: readonly SpendCells[]): Promise<ImportedSpend>;
  /** Says what is wrong with the rows, and records nothing. */
  check(rows: readonly SpendCells[]): ImportedSpend;
}

/** Undefined where there is no such profile. */
export async function openSpendImporter(
  app: Postgres,
  profileId: string,
  now: () => Date,
): Promise<SpendImporter | undefined> {
  const ledger = app.forProfile(profileId);
  if (!(await ledger.transaction((tx) => findProfile(tx, profileId)))) return undefined;
  const read = (rows: readonly SpendCells[]) => {
    const reads = rows.map(({ line, cells }) =>
      readJudged(profileId, judgeSpendRow({ ...withoutBlanks(cells), line }), now()),
    );
    const rejected = reads.flatMap((one) => ('fault' in one ? [{ line: one.line as number, ...one.fault }] : []));
    return { good: goodOf(reads), rejected };
  };
  return {
    check: (rows) => ({ recorded: 0, updated: 0, unchanged: 0, rejected: read(rows).rejected }),
    async import(rows) {
      const { good, rejected } = read(rows);
      const recorded = await ledger.transaction((tx) => recordSpend(tx, profileId, good, now()));
      const count = (wanted: RecordedSpend['status']) => recorded.filter(({ status }) => status === wanted).length;
      return { recorded: count('recorded'), updated: count('updated'), unchanged: count('unchanged'), rejected };
    },
  };
}

function withoutBlanks(cells: Readonly<Record<string, string>>): Record<string, string> {
  const trimmed = Object.entries(cells).map(([name, cell]) => [name, cell.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, cell]) => cell !== ''));
}
