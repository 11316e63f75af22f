import { t } from '../messages/index.ts';
import type { ScoreWindow } from '../search.ts';

/** The display names of the windows over which ads are scored. */
export const windowTitles: Readonly<Record<ScoreWindow, string>> = {
  '7d': t.performers.days7,
  '14d': t.performers.days14,
  '28d': t.performers.days28,
  lifetime: t.performers.allTime,
};
