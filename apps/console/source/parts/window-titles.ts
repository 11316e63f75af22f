import type { ScoreWindow } from '../search.ts';
import { say } from '../words/index.ts';

/** What the days are called that ads are scored over. */
export const windowTitles: Readonly<Record<ScoreWindow, string>> = {
  '7d': say.performers.days7,
  '14d': say.performers.days14,
  '28d': say.performers.days28,
  lifetime: say.performers.allTime,
};
