import type { Column } from '../parts/columns.ts';
import type { CsvOptions } from '../parts/csv.ts';
import type { CampaignRow, ReportScope } from '../queries.ts';
import type { Level, Model } from '../search.ts';

interface CsvScope {
  readonly name: string;
  readonly scope: ReportScope;
  readonly level: Level;
  readonly model: Model;
  readonly currency: string;
}

/** Total rows have only figures and a name. */
type TotalRow = Pick<CampaignRow, 'campaign_name'> & Partial<CampaignRow>;

/** Adds columns for dates, model and currency, so that the file is self-describing. They have the API's names. */
export function campaignCsv(
  { name, scope, level, model, currency }: CsvScope,
  columns: readonly Column<CampaignRow>[],
  totals: readonly TotalRow[],
): CsvOptions<CampaignRow> {
  const column = (id: string, value: Column<CampaignRow>['value']): Column<CampaignRow> => ({
    id,
    title: id,
    value,
    cell: value,
  });
  return {
    name: `${name} ${level} ${scope.from} ${scope.to}`,
    columns: [
      column('date_from', () => scope.from),
      column('date_to', () => scope.to),
      column('currency', () => currency),
      column('model', () => model),
      column('level', () => level),
      column('platform', (row) => row.platform ?? null),
      column('status', (row) => row.status ?? null),
      column('id', (row) => row.campaign_id ?? null),
      column('external_id', (row) => row.external_id ?? null),
      ...columns,
    ],
    totals: totals as readonly CampaignRow[],
  };
}
