import type { Column } from '../parts/columns.ts';
import type { CsvOptions } from '../parts/csv.ts';
import type { CampaignRow, Place } from '../queries.ts';
import type { Level, Model } from '../search.ts';

interface CsvScope {
  readonly name: string;
  readonly place: Place;
  readonly level: Level;
  readonly model: Model;
  readonly currency: string;
}

/** Total rows have figures and a name only. */
type TotalRow = Pick<CampaignRow, 'campaign_name'> & Partial<CampaignRow>;

/** The file says by itself which days, model and currency its figures are of; these columns have the API's names. */
export function campaignCsv(
  { name, place, level, model, currency }: CsvScope,
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
    name: `${name} ${level} ${place.from} ${place.to}`,
    columns: [
      column('date_from', () => place.from),
      column('date_to', () => place.to),
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
