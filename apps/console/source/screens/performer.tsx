import { type Field, fields } from '../fields.ts';
import { count, percent, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { AdPicture } from '../parts/ad-picture.tsx';
import { Figure } from '../parts/figure.tsx';
import type { TopPerformer } from '../queries.ts';
import type { Explained } from '../search.ts';

/** The figures shown for an ad. */
const facts = [
  'attributed_revenue',
  'spend',
  'roas',
  'attributed_cash_outcomes',
  'cac',
  'ctr',
] as const satisfies readonly Field[];

const explainedAd = ({ ad_id: entity, score_window: window }: TopPerformer, field: Field): Explained => ({
  report: 'top_performers',
  field,
  entity,
  window,
  level: 'ad',
  model: 'last_touch',
});

interface PerformerProps {
  readonly rank: number;
  readonly performer: TopPerformer;
  readonly currency: string;
}

/** One ad: its score among similar ads, the reasons, and how much data the score is based on. */
export function Performer({ rank, performer, currency }: PerformerProps) {
  const { ad_name: name, campaign_name: campaign, ad_set_name: adSet } = performer;
  return (
    <li className="card grid gap-3 p-5">
      <div className="flex items-start justify-between gap-4">
        <AdPicture adId={performer.ad_id} name={name} isWithout={performer.creative_thumbnail_url === null} />
        <div className="min-w-0 flex-1">
          <h2 className="break-words">
            <span className="text-soft">{rank}.</span> {name}
          </h2>
          <p className="label break-words">
            {[words(performer.platform), campaign, adSet].filter(Boolean).join(' · ')}
          </p>
        </div>
        <Score performer={performer} />
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-3">
        {facts.map((field) => (
          <div key={field}>
            <dt className="label">{fields[field].title}</dt>
            <dd>
              <Figure of={explainedAd(performer, field)} value={performer[field]} currency={currency} about={name} />
            </dd>
          </div>
        ))}
      </dl>
      <Reasons reasons={performer.reason_codes} />
      <p className="label">{groundsOf(performer)}</p>
    </li>
  );
}

function Score({ performer }: { readonly performer: TopPerformer }) {
  const { composite_score: score, ad_name: name } = performer;
  return (
    <div className="w-20 shrink-0 text-right">
      <Figure
        className="block font-semibold text-figure"
        of={explainedAd(performer, 'composite_score')}
        value={score === null ? null : Math.round(score)}
        currency=""
        about={name}
      />
      <span aria-hidden="true" className="block h-1.5 rounded bg-tint">
        <span className="block h-1.5 rounded bg-accent" style={{ width: `${score ?? 0}%` }} />
      </span>
      <span className="label">{score === null ? t.performers.notScored : t.performers.of100}</span>
    </div>
  );
}

function Reasons({ reasons }: { readonly reasons: TopPerformer['reason_codes'] }) {
  if (reasons.length === 0) return null;
  return (
    <ul aria-label={t.performers.reasons} className="flex flex-wrap gap-2">
      {reasons.map(({ layer, polarity, percentile, sample_confidence: confidence }) => (
        <li
          key={`${layer} ${polarity}`}
          className={`rounded px-2 py-0.5 text-small ${polarity === 'strength' ? 'bg-accent-soft' : 'bg-tint text-soft'}`}
        >
          {polarity === 'strength' ? '+' : '−'} {words(layer)}: {placeOf(percentile)}
          <span className="text-soft">{t.performers.confidence(words(confidence).toLowerCase())}</span>
        </li>
      ))}
    </ul>
  );
}

/** Phrases a percentile as "better than 83%". */
const placeOf = (percentile: number): string =>
  percentile >= 50 ? t.performers.better(percent(percentile / 100)) : t.performers.worse(percent(1 - percentile / 100));

const gradeTitles: Readonly<Record<TopPerformer['truth_grade'], string>> = {
  predicted: t.performers.predicted,
  attributed: t.performers.attributed,
  lift: t.performers.lift,
};
const maturityTitles: Readonly<Record<TopPerformer['maturity_stage'], string>> = {
  cold: t.performers.noOutcome,
  early: t.performers.fewOutcomes,
  mature: t.performers.manyOutcomes,
  calibrated: words('calibrated').toLowerCase(),
};

function groundsOf(performer: TopPerformer): string {
  const {
    truth_grade: grade,
    maturity_stage: maturity,
    cohort_n_ads: ads,
    top_performer_likelihood: chance,
  } = performer;
  return t.performers.standing(gradeTitles[grade], maturityTitles[maturity], count(ads), percent(chance));
}
