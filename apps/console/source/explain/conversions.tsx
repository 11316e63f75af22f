import type { Field } from '../fields.ts';
import { count, longDay, moment, money, rate, words } from '../format.ts';
import { ConversionLink } from '../parts/conversion-link.tsx';
import type { ExplainedConversion } from '../queries.ts';
import { added } from './added.ts';
import { TouchPath } from './touch-path.tsx';

interface ConversionsProps {
  readonly conversions: readonly ExplainedConversion[];
  readonly field: Field;
  readonly currency: string;
  readonly timeZone: string;
  /** Whether one entity's part is asked for, or everything. */
  readonly hasEntity: boolean;
}

/** The conversions behind a figure: when, what was paid at which rate, which touches led there, and who earned how much. */
export function Conversions({ conversions, field, currency, timeZone, hasEntity }: ConversionsProps) {
  return (
    <section aria-labelledby="conversions">
      <h3 id="conversions" className="mb-2">
        Conversions
      </h3>
      <ol className="grid gap-3">
        {conversions.map((conversion) => (
          <li key={conversion.conversion_id} className="card p-4">
            <div className="flex items-baseline justify-between gap-4">
              <span className="font-semibold">{words(conversion.conversion_type)}</span>
              <span className="number font-semibold" data-contributes={conversion.contributes}>
                {added(field, conversion.contributes, currency)}
              </span>
            </div>
            <p className="label">
              {moment(conversion.conversion_time, timeZone)}
              {conversion.is_first_payment && ', first purchase'}
            </p>
            <p className="mt-1">{worthOf(conversion, currency)}</p>
            <TouchPath conversion={conversion} currency={currency} timeZone={timeZone} hasEntity={hasEntity} />
            <LeftOut conversion={conversion} timeZone={timeZone} />
            <ConversionLink conversionId={conversion.conversion_id} className="mt-2 inline-block text-small">
              Its journey, under six models
            </ConversionLink>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** From what was paid to what it is worth here. */
function worthOf(conversion: ExplainedConversion, currency: string): string {
  const { value, original_amount: amount, original_currency: paidIn, rate: used, rate_date: date } = conversion;
  if (amount === null || paidIn === null) return 'No money in it.';
  const paid = money(amount, paidIn);
  if (value === null) return `${paid}. There is no rate for ${paidIn}, so it has no value here.`;
  if (paidIn === currency) return `Paid ${paid}.`;
  return `${paid} × ${rate(used)}${date ? ` (${longDay(date)})` : ''} = ${money(value, currency)}`;
}

const reasons: Readonly<Record<ExplainedConversion['left_out'][number]['reason'], string>> = {
  outside_window: 'too long before',
  after_conversion: 'after it',
  repeat_of_session: 'a repeat in the same session',
  path_full: 'the path shows the first and the last 199',
};

function LeftOut({
  conversion: { left_out: touches, lookback_days: lookbackDays },
  timeZone,
}: {
  readonly conversion: ExplainedConversion;
  readonly timeZone: string;
}) {
  if (touches.length === 0) return null;
  return (
    <details className="mt-2">
      <summary className="label cursor-pointer">
        {count(touches.length)} {touches.length === 1 ? 'touch' : 'touches'} had no part in it
      </summary>
      <ul className="label mt-1 grid gap-0.5">
        {touches.map(({ occurred_at: at, channel, reason }) => (
          <li key={`${at} ${channel} ${reason}`}>
            {moment(at, timeZone)}, {words(channel)}: {reasons[reason]}
          </li>
        ))}
      </ul>
      <p className="label mt-1">It looks back {lookbackDays} days.</p>
    </details>
  );
}
