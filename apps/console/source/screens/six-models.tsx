import { useQuery } from '@tanstack/react-query';
import { fields } from '../fields.ts';
import { nothing, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Figure } from '../parts/figure.tsx';
import { QueryResult } from '../parts/states.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';
import { type ModelFigures, sixModelsQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import type { Level, Model } from '../search.ts';
import { models } from '../vocabulary.ts';

interface SixModelsProps {
  /** Our id, or `unattributed`. */
  readonly entity: string;
  readonly level: Level;
  readonly currency: string;
  readonly about: string;
}

const shown = ['outcome_value', 'roas', 'outcome_count', 'cac', 'attributed_outcome_count'] as const;

/** A multi-touch model counts a conversion for every entity with a share; next to a single-touch count, that would mislead. */
const isComparable = (field: (typeof shown)[number], model: Model): boolean =>
  field === 'outcome_value' || field === 'roas' || models[model].credit === 'single';
const notComparable = t.campaigns.notComparable;

/** One row under every model. Spend is the same in all of them, so only figures that depend on the model are shown. */
export function SixModels(props: SixModelsProps) {
  const { scope } = useReportScope();
  const query = useQuery(sixModelsQuery(scope, props.entity, props.level));
  return (
    <QueryResult query={query} lines={6}>
      {(rows) => <ModelTable rows={rows} {...props} />}
    </QueryResult>
  );
}

function ModelTable({
  rows,
  entity,
  level,
  currency,
  about,
}: SixModelsProps & { readonly rows: readonly ModelFigures[] }) {
  const isNarrow = useIsNarrow();
  const available = shown.filter((field) => rows[0]?.figures[field] !== undefined);
  // A narrow screen shows only revenue and conversions.
  const visible = isNarrow
    ? available.filter((field) => field === 'outcome_value' || field === 'outcome_count')
    : available;
  return (
    <table className="w-full max-w-3xl text-right">
      <caption className="label pt-2 pb-1 text-left">{t.campaigns.underEach(about)}</caption>
      <thead>
        <tr className="label">
          <th scope="col" className="py-1 text-left font-medium">
            {t.models.model}
          </th>
          {visible.map((field) => (
            <th key={field} scope="col" className="pl-4 font-medium">
              {fields[field].title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ model, figures }) => (
          <tr key={model} className="border-line border-t">
            <th scope="row" className="py-1 text-left font-normal">
              {words(model)}
            </th>
            {visible.map((field) => (
              <td key={field} className="pl-4">
                {isComparable(field, model) ? (
                  <Figure
                    of={{ report: 'campaigns', field, entity, level, model }}
                    value={figures[field]}
                    currency={currency}
                    about={`${about}, ${words(model)}`}
                  />
                ) : (
                  <span className="text-soft" title={notComparable}>
                    {nothing}
                    <span className="sr-only"> {notComparable}</span>
                  </span>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
