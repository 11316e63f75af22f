import { isZero, share } from '../decimals.ts';
import { channelTitle, count, moment, money, percent } from '../format.ts';
import { t } from '../messages/index.ts';
import { adLine } from '../parts/ad-line.ts';
import type { ExplainedConversion } from '../queries.ts';

interface TouchPathProps {
  readonly conversion: ExplainedConversion;
  readonly currency: string;
  readonly timeZone: string;
  readonly hasEntity: boolean;
}

/** Further touches are collapsed. */
const inSight = 6;

/** The path to a conversion: each touch with its credit. The credits add up to the value. */
export function TouchPath({ conversion, currency, timeZone, hasEntity }: TouchPathProps) {
  const { path, value, touch_count: touchCount } = conversion;
  if (path.length === 0) return <p className="label mt-1">{t.explain.noTouch}</p>;
  const hasMoney = value !== null && !isZero(value);
  const earners = path.filter(({ credit }) => !isZero(credit));
  const first = hasMoney ? earners : path;
  const rest = path.filter((touch) => !first.slice(0, inSight).includes(touch));
  const line = (touch: (typeof path)[number]) => (
    <li
      key={`${touch.occurred_at} ${touch.channel} ${touch.source} ${touch.credit}`}
      className="grid grid-cols-[1fr_auto] gap-x-3"
    >
      <span className={hasEntity && touch.is_of_entity ? 'font-semibold' : ''}>
        {adLine(touch) || channelTitle(touch.channel)}
        <span className="label block font-normal">
          {adLine(touch) && `${channelTitle(touch.channel)}, `}
          {touch.source}, {moment(touch.occurred_at, timeZone)}
        </span>
      </span>
      {hasMoney && (
        <span className="number">
          <span className="label mr-1.5">{percent(share(touch.credit, value))}</span>
          {money(touch.credit, currency)}
        </span>
      )}
    </li>
  );
  return (
    <div className="mt-2">
      {hasMoney && (
        <div aria-hidden="true" className="mb-2 flex h-2 gap-px overflow-hidden rounded bg-tint">
          {earners.map((touch) => (
            <span
              key={`${touch.occurred_at} ${touch.channel} ${touch.source} ${touch.credit}`}
              className={touch.is_of_entity || !hasEntity ? 'bg-accent' : 'bg-other'}
              style={{ width: `${share(touch.credit, value) * 100}%` }}
            />
          ))}
        </div>
      )}
      <ol className="grid gap-1">{first.slice(0, inSight).map(line)}</ol>
      {rest.length > 0 && (
        <details className="mt-1">
          <summary className="label cursor-pointer">
            {t.explain.moreTouches(count(rest.length), count(touchCount))}
          </summary>
          <ol className="mt-1 grid gap-1">{rest.map(line)}</ol>
        </details>
      )}
    </div>
  );
}
