import { judgeSpendRow, type SpendFault } from '@tributary/contract';
import { findProfile } from '@tributary/domain/tenancy/tenants';
import type { Postgres } from '@tributary/postgres';
import { parseJudgedRow, validRows } from './read-spend.ts';
import { type RecordedSpend, recordSpend } from './record-spend.ts';

/** A row of a file, as cells by column name. */
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

/** Imports rows of a file with the rules of POST /spend, one transaction per batch. */
export interface SpendImporter {
  import(rows: readonly SpendCells[]): Promise<ImportedSpend>;
  /** Validates the rows and records nothing. */
  check(rows: readonly SpendCells[]): ImportedSpend;
}

/** Undefined if there is no such profile. */
export async function openSpendImporter(
  app: Postgres,
  profileId: string,
  now: () => Date,
): Promise<SpendImporter | undefined> {
  const ledger = app.forProfile(profileId);
  if (!(await ledger.transaction((tx) => findProfile(tx, profileId)))) return undefined;
  const read = (rows: readonly SpendCells[]) => {
    const parsedRows = rows.map(({ line, cells }) =>
      parseJudgedRow(profileId, judgeSpendRow({ ...withoutBlanks(cells), line }), now()),
    );
    const rejected = parsedRows.flatMap((one) => ('fault' in one ? [{ line: one.line as number, ...one.fault }] : []));
    return { valid: validRows(parsedRows), rejected };
  };
  return {
    check: (rows) => ({ recorded: 0, updated: 0, unchanged: 0, rejected: read(rows).rejected }),
    async import(rows) {
      const { valid, rejected } = read(rows);
      const recorded = await ledger.transaction((tx) => recordSpend(tx, profileId, valid, now()));
      const count = (expected: RecordedSpend['status']) => recorded.filter(({ status }) => status === expected).length;
      return { recorded: count('recorded'), updated: count('updated'), unchanged: count('unchanged'), rejected };
    },
  };
}

function withoutBlanks(cells: Readonly<Record<string, string>>): Record<string, string> {
  const trimmed = Object.entries(cells).map(([name, cell]) => [name, cell.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, cell]) => cell !== ''));
}
