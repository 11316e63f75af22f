import type { DateRange } from '../date-range.ts';
import { longDay, signedPercent } from '../format.ts';
import { t } from '../messages/index.ts';

/** The figure of the compared period, with its dates. */
export const beforeTitle = ({ from, to }: DateRange, figure: string): string =>
  t.overview.beforeTitle(figure, longDay(from), longDay(to));

interface ChangeProps {
  readonly now: number | null;
  readonly was: number | null;
  readonly better: 'more' | 'less' | undefined;
  /** The earlier figure and the first day of its period. */
  readonly from: string;
}

/** The relative change against the compared period. */
export function Change({ now, was, better, from }: ChangeProps) {
  if (now === null || was === null || was === 0) return null;
  const change = (now - was) / Math.abs(was);
  const isBetter = better && change !== 0 ? change > 0 === (better === 'more') : undefined;
  const colour = isBetter === undefined ? 'text-soft' : isBetter ? 'text-accent' : 'text-problem';
  return (
    <span className={`number block text-small ${colour}`} title={t.overview.fromUpper(from)}>
      <span aria-hidden="true">{change > 0 ? '▲ ' : change < 0 ? '▼ ' : ''}</span>
      {signedPercent(change)}
      <span className="sr-only"> {t.overview.from(from)}</span>
    </span>
  );
}
