import type { ScoreWindow } from '../search.ts';
import { say } from '../messages/index.ts';

/** The display names of the windows over which ads are scored. */
export const windowTitles: Readonly<Record<ScoreWindow, string>> = {
  '7d': say.performers.days7,
  '14d': say.performers.days14,
  '28d': say.performers.days28,
  lifetime: say.performers.allTime,
};
