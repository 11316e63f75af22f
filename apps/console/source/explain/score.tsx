import { type ScoreLayer, scoreLayers } from '@tributary/vocabulary';
import type { Field } from '../fields.ts';
import { count, localMoment, percent, rate, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Figure } from '../parts/figure.tsx';
import { TitleRow } from '../parts/title-row.tsx';
import type { Explanation } from '../queries.ts';
import type { Explained } from '../search.ts';

type Data = Explanation['data'];

const places: Readonly<Record<ScoreLayer, Field>> = {
  efficiency: 'efficiency_percentile',
  return: 'return_percentile',
  engagement: 'avg_engagement_score',
  stability: 'stability_percentile',
  volume: 'volume_percentile',
};

/** The layers of a score: the ad's percentile in each, and the points it earned. */
export function Layers({ explain, layers }: { readonly explain: Explained; readonly layers: Data['layers'] }) {
  return (
    <section aria-labelledby="layers">
      <h3 id="layers" className="mb-2">
        {t.score.layers}
      </h3>
      <table className="w-full text-right">
        <thead>
          <TitleRow first={t.score.layer} others={[t.score.weight, t.score.percentile, t.explain.adds]} />
        </thead>
        <tbody>
          {layers.map(({ layer, weight, percentile, contributes }) => (
            <tr key={layer} className="border-line border-t">
              <th scope="row" className="py-1 text-left font-normal">
                {words(layer)}
              </th>
              <td className="number pl-3">{count(weight)}</td>
              <td className="pl-3">
                <Figure of={{ ...explain, field: places[layer] }} value={percentile} currency="" about={words(layer)} />
              </td>
              <td className="number pl-3" data-contributes={contributes}>
                {count(contributes)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {layers.length < scoreLayers.length && <p className="label mt-1">{t.score.unknownLayers}</p>}
    </section>
  );
}

interface CohortProps {
  readonly ads: Data['cohort'];
  readonly total: string;
  readonly rowCount: number;
}

/** The ads that an ad is ranked against, best first. */
export function CohortAds({ ads, total, rowCount }: CohortProps) {
  return (
    <section aria-labelledby="cohort">
      <h3 id="cohort" className="mb-2">
        {t.score.among(count(rowCount))}
      </h3>
      <p className="label mb-2">{t.score.placeIs(count(total), count(rowCount))}</p>
      <table className="w-full text-right">
        <tbody>
          {ads.map(({ ad_id: id, ad_name: name, figure, standing, contributes }) => (
            <tr key={id} className={`border-line border-t ${standing === 'equal' ? 'font-semibold' : ''}`}>
              <th scope="row" className="py-1 text-left font-normal">
                {name}
              </th>
              <td className="number pl-3">{rate(figure)}</td>
              <td className="label pl-3">{t.score.standings[standing]}</td>
              <td className="number pl-3" data-contributes={contributes}>
                {count(contributes)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The inputs and thresholds of a score. */
export function Working({ working }: { readonly working: NonNullable<Data['working']> }) {
  const lines: readonly (readonly [string, string])[] = [
    [t.score.scoredAt, localMoment(working.scored_at)],
    [t.score.cohort, t.score.ofAtLeast(count(working.cohort_n_ads), count(working.smallest_cohort))],
    [t.score.outcome, t.score.outcomes[working.outcome]],
    [t.score.evidence, t.score.evidenceOf(count(working.evidence), count(working.clicks_per_outcome))],
    [t.score.trust, t.score.trustOf(percent(working.trust), count(working.half_evidence))],
  ];
  return (
    <section aria-labelledby="working">
      <h3 id="working" className="mb-2">
        {t.score.working}
      </h3>
      <dl className="grid gap-1">
        {lines.map(([title, text]) => (
          <div key={title} className="grid grid-cols-[9rem_1fr] gap-x-3">
            <dt className="label">{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <h3 className="mt-4 mb-2">{t.score.traits}</h3>
      <dl className="grid gap-1">
        {working.traits.map(({ trait, value, said_by: saidBy, is_compared: isCompared }) => (
          <div key={trait} className="grid grid-cols-[9rem_1fr] gap-x-3">
            <dt className="label">{t.score.traitNames[trait]}</dt>
            <dd>
              {value === null ? t.score.saidBy.nobody : words(value)}
              <span className="label block">
                {[value === null ? '' : t.score.saidBy[saidBy], isCompared ? t.score.compared : '']
                  .filter(Boolean)
                  .join('; ')}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
