import { money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { AdAction } from './queries.ts';

/** A change at a platform in one line: "Pause campaign, Meta Ads: Spring sale". */
export function changeTitle({ kind, level, platform, external_id: id, name, after }: AdAction): string {
  const what = t.ads.what(words(kind), words(level).toLowerCase());
  const budget =
    kind === 'budget' && after?.daily_budget ? `, ${t.ads.aDay(money(after.daily_budget, after.currency))}` : '';
  return `${what}, ${words(platform)}: ${name ?? id}${budget}`;
}
