import { useState } from 'react';
import {
  count,
  longDay,
  money,
  nothing,
  percent,
  ratio,
  signed,
  signedMoney,
  signedPercent,
  words,
} from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import type { Comparison } from '../queries.ts';
import { say } from '../words/index.ts';

type Platform = Comparison['data']['platforms'][number];
type View = 'conversions' | 'value';

const views = [
  { value: 'conversions', title: say.metrics.payments },
  { value: 'value', title: say.overview.money },
] as const;

interface Pair {
  readonly theirs: number | null;
  readonly ours: number;
  readonly theirsText: string;
  readonly oursText: string;
  readonly gap: string;
}

function pairOf(platform: Platform, view: View, currency: string): Pair {
  if (view === 'value')
    return {
      theirs: platform.platform_conversion_value === null ? null : Number(platform.platform_conversion_value),
      ours: Number(platform.atribu_cash_revenue),
      theirsText: money(platform.platform_conversion_value, currency),
      oursText: money(platform.atribu_cash_revenue, currency),
      gap: signedMoney(platform.value_gap, currency),
    };
  const { platform_conversions: theirs, atribu_cash_conversions: ours } = platform;
  return {
    theirs,
    ours,
    theirsText: count(theirs),
    oursText: count(ours),
    gap:
      theirs === null
        ? nothing
        : `${signed(ours - theirs)}${theirs > 0 ? ` (${signedPercent((ours - theirs) / theirs)})` : ''}`,
  };
}

/** Two bars for each platform, and the gap between them. */
export function PlatformBars({
  platforms,
  currency,
}: {
  readonly platforms: readonly Platform[];
  readonly currency: string;
}) {
  const [view, setView] = useState<View>('conversions');
  const pairs = platforms.map((platform) => pairOf(platform, view, currency));
  const most = Math.max(...pairs.flatMap(({ theirs, ours }) => [theirs ?? 0, ours]), 0);
  return (
    <section className="card p-5" aria-labelledby="gap">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="gap">{say.comparison.both}</h2>
        <Choice label={say.comparison.whatBars} value={view} options={views} onChange={setView} />
      </div>
      <ul className="grid gap-6">
        {platforms.map((platform, place) => {
          const pair = pairs[place] as Pair;
          return (
            <li key={platform.platform} className="grid gap-x-6 gap-y-2 md:grid-cols-[12rem_1fr_11rem]">
              <div>
                <h3>{words(platform.platform)}</h3>
                <p className="label">
                  {platform.has_delivery
                    ? say.comparison.countsBy(words(platform.reported_basis).toLowerCase())
                    : say.comparison.noDelivery}
                </p>
              </div>
              <div className="grid content-center gap-1.5">
                <Bar
                  name={say.comparison.theyClaim}
                  text={pair.theirsText}
                  share={shareOf(pair.theirs, most)}
                  colour="bg-other"
                />
                <Bar
                  name={say.comparison.weCredit}
                  text={pair.oursText}
                  share={shareOf(pair.ours, most)}
                  colour="bg-accent"
                />
              </div>
              <dl className="content-center">
                <dt className="label">{say.comparison.gap}</dt>
                <dd className="number font-semibold">{pair.gap}</dd>
                <dt className="label mt-1">{say.comparison.roas}</dt>
                <dd className="number">
                  {ratio(platform.platform_roas)} / {ratio(platform.atribu_roas)}
                </dd>
              </dl>
              <p className="md:col-span-3">{verdictOf(pair)}</p>
              <p className="label md:col-span-3">{footnoteOf(platform, currency)}</p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** In words, what the two bars say. */
function verdictOf({ theirs, ours }: Pair): string {
  if (theirs === null || theirs === 0) return say.comparison.claimsNothing;
  const more = (theirs - ours) / Math.max(ours, 1e-9);
  if (ours === 0) return say.comparison.claimsAll;
  if (Math.abs(more) < 0.02) return say.comparison.agree;
  return more > 0 ? say.comparison.claimsMore(percent(more)) : say.comparison.claimsLess(percent(-more));
}

const shareOf = (value: number | null, most: number): number => (most > 0 ? Math.max(0, value ?? 0) / most : 0);

interface BarProps {
  readonly name: string;
  readonly text: string;
  readonly share: number;
  readonly colour: string;
}

function Bar({ name, text, share, colour }: BarProps) {
  return (
    <div className="grid grid-cols-[5.5rem_1fr] items-center gap-2">
      <span className="label">{name}</span>
      <span className="flex items-center gap-2">
        <span aria-hidden="true" className={`h-5 rounded-sm ${colour}`} style={{ width: `${share * 70}%` }} />
        <span className="number">{text}</span>
      </span>
    </div>
  );
}

function footnoteOf(platform: Platform, currency: string): string {
  const { unassigned_conversions: unassigned, unassigned_cash_revenue: revenue, delivery_through: through } = platform;
  const told = through ? say.comparison.knownUpTo(longDay(through)) : '';
  const unnamed = unassigned > 0 ? say.comparison.unassigned(count(unassigned), money(revenue, currency)) : '';
  return `${told} ${unnamed}`.trim();
}
