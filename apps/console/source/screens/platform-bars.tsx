import { type ReactNode, useState } from 'react';
import type { DateRange } from '../date-range.ts';
import type { Field } from '../fields.ts';
import { count, longDay, percent, signed, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Choice } from '../parts/choice.tsx';
import { Figure } from '../parts/figure.tsx';
import type { Comparison } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import type { Level } from '../search.ts';
import { gapOf, isDivided } from './comparison-columns.tsx';

type Platform = Comparison['data']['platforms'][number];
type View = 'conversions' | 'value';

const views = [
  { value: 'conversions', title: t.metrics.payments },
  { value: 'value', title: t.overview.money },
] as const;

interface Pair {
  readonly theirs: number | null;
  readonly ours: number;
  readonly fields: { readonly theirs: Field; readonly ours: Field; readonly gap: Field };
  readonly gap: number | string | null;
}

function pairOf(platform: Platform, view: View): Pair {
  if (view === 'value')
    return {
      theirs: platform.platform_conversion_value === null ? null : Number(platform.platform_conversion_value),
      ours: Number(platform.atribu_cash_revenue),
      fields: { theirs: 'platform_conversion_value', ours: 'atribu_cash_revenue', gap: 'value_gap' },
      gap: platform.value_gap,
    };
  const { platform_conversions: theirs, atribu_cash_credits: ours } = platform;
  return {
    theirs,
    ours,
    fields: { theirs: 'platform_conversions', ours: 'atribu_cash_conversions', gap: 'payment_gap' },
    gap: gapOf(platform),
  };
}

interface PlatformBarsProps {
  readonly platforms: readonly Platform[];
  readonly currency: string;
  readonly level: Level;
  /** The dates for which both sides have data. */
  readonly days: DateRange;
}

/** Two bars per platform, with the gap between them. */
export function PlatformBars({ platforms, currency, level, days }: PlatformBarsProps) {
  const { model } = useReportScope();
  const [view, setView] = useState<View>('conversions');
  const pairs = platforms.map((platform) => pairOf(platform, view));
  const isInParts = view === 'conversions' && isDivided(model);
  const figure = (platform: string, field: Field, value: number | string | null) => (
    <Figure
      of={{ report: 'platform_comparison', field, platform, level, model, days }}
      value={value}
      currency={currency}
      about={words(platform)}
    />
  );
  const most = Math.max(...pairs.flatMap(({ theirs, ours }) => [theirs ?? 0, ours]), 0);
  return (
    <section className="card p-5" aria-labelledby="gap">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="gap">{t.comparison.both}</h2>
        <Choice label={t.comparison.whatBars} value={view} options={views} onChange={setView} />
      </div>
      <ul className="grid gap-6">
        {platforms.map((platform, index) => {
          const pair = pairs[index] as Pair;
          const name = platform.platform;
          return (
            <li key={platform.platform} className="grid gap-x-6 gap-y-2 md:grid-cols-[12rem_1fr_11rem]">
              <div>
                <h3>{words(platform.platform)}</h3>
                <p className="label">
                  {platform.has_delivery
                    ? t.comparison.countsBy(words(platform.reported_basis).toLowerCase())
                    : t.comparison.noDelivery}
                </p>
              </div>
              <div className="grid content-center gap-1.5">
                <Bar
                  name={t.comparison.theyClaim}
                  figure={figure(name, pair.fields.theirs, pair.theirs)}
                  share={shareOf(pair.theirs, most)}
                  colour="bg-other"
                />
                <Bar
                  name={t.comparison.weCredit}
                  figure={
                    isInParts ? (
                      <span className="number">{count(pair.ours)}</span>
                    ) : (
                      figure(name, pair.fields.ours, pair.ours)
                    )
                  }
                  share={shareOf(pair.ours, most)}
                  colour="bg-accent"
                />
              </div>
              <dl className="content-center">
                <dt className="label">{t.comparison.gap}</dt>
                <dd className="font-semibold">
                  {isInParts ? signed(pair.gap) : figure(name, pair.fields.gap, pair.gap)}
                </dd>
                <dt className="label mt-1">{t.comparison.roas}</dt>
                <dd>
                  {figure(name, 'platform_roas', platform.platform_roas)} /{' '}
                  {figure(name, 'atribu_roas', platform.atribu_roas)}
                </dd>
              </dl>
              <p className="md:col-span-3">{verdictOf(pair)}</p>
              <p className="label md:col-span-3">
                {platform.delivery_through && t.comparison.knownUpTo(longDay(platform.delivery_through))}{' '}
                {platform.unassigned_conversions > 0 && (
                  <>
                    {t.comparison.unassigned} {figure(name, 'unassigned_conversions', platform.unassigned_conversions)},{' '}
                    {figure(name, 'unassigned_cash_revenue', platform.unassigned_cash_revenue)}
                  </>
                )}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Summarizes the two bars in words. */
function verdictOf({ theirs, ours }: Pair): string {
  if (theirs === null || theirs === 0) return t.comparison.claimsNothing;
  const more = (theirs - ours) / Math.max(ours, 1e-9);
  if (ours === 0) return t.comparison.claimsAll;
  if (Math.abs(more) < 0.02) return t.comparison.agree;
  return more > 0 ? t.comparison.claimsMore(percent(more)) : t.comparison.claimsLess(percent(-more));
}

const shareOf = (value: number | null, most: number): number => (most > 0 ? Math.max(0, value ?? 0) / most : 0);

interface BarProps {
  readonly name: string;
  readonly figure: ReactNode;
  readonly share: number;
  readonly colour: string;
}

function Bar({ name, figure, share, colour }: BarProps) {
  return (
    <div className="grid grid-cols-[5.5rem_1fr] items-center gap-2">
      <span className="label">{name}</span>
      <span className="flex items-center gap-2">
        <span aria-hidden="true" className={`h-5 rounded-sm ${colour}`} style={{ width: `${share * 70}%` }} />
        {figure}
      </span>
    </div>
  );
}
