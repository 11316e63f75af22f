import type { Field } from '../fields.ts';
import { channelTitle, count, longDay, moment, money, rate, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { ConversionLink } from '../parts/conversion-link.tsx';
import { recordName } from '../payments/record-name.ts';
import type { ExplainedConversion } from '../queries.ts';
import { added } from './added.ts';
import { TouchPath } from './touch-path.tsx';

interface ConversionsProps {
  readonly conversions: readonly ExplainedConversion[];
  readonly field: Field;
  readonly currency: string;
  readonly timeZone: string;
  /** Whether the explanation is about one entity or the total. */
  readonly hasEntity: boolean;
}

/** The conversions behind a figure: their time, amount and exchange rate, their touches, and the credit of each. */
export function Conversions({ conversions, field, currency, timeZone, hasEntity }: ConversionsProps) {
  return (
    <section aria-labelledby="conversions">
      <h3 id="conversions" className="mb-2">
        {t.metrics.conversions}
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
              {conversion.is_first_payment && t.explain.firstPurchase}
            </p>
            <p className="mt-1">{worthOf(conversion, currency)}</p>
            <Duplicates conversion={conversion} />
            <TouchPath conversion={conversion} currency={currency} timeZone={timeZone} hasEntity={hasEntity} />
            <LeftOut conversion={conversion} timeZone={timeZone} />
            <ConversionLink conversionId={conversion.conversion_id} className="mt-2 inline-block text-small">
              {t.explain.itsJourney}
            </ConversionLink>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Records of the same sale from other sources. */
function Duplicates({ conversion: { duplicates } }: { readonly conversion: ExplainedConversion }) {
  if (duplicates.length === 0) return null;
  return (
    <ul className="label mt-1 grid gap-0.5">
      {duplicates.map((one) => (
        <li key={one.outcome_event_id} className="break-words">
          {t.payments.alsoReported(recordName(one), money(one.amount, one.currency))}
        </li>
      ))}
    </ul>
  );
}

/** The paid amount and its conversion to the reporting currency. */
function worthOf(conversion: ExplainedConversion, currency: string): string {
  const { value, original_amount: amount, original_currency: paidIn, rate: used, rate_date: date } = conversion;
  // For historical figures only the converted value is stored, not the paid amount.
  if (amount === null || paidIn === null)
    return value === null ? t.explain.noMoney : t.explain.worth(money(value, currency));
  const paid = money(amount, paidIn);
  if (value === null) return t.explain.noRate(paid, paidIn);
  if (paidIn === currency) return t.explain.paid(paid);
  return `${paid} × ${rate(used)}${date ? ` (${longDay(date)})` : ''} = ${money(value, currency)}`;
}

const reasons: Readonly<Record<ExplainedConversion['left_out'][number]['reason'], string>> = {
  outside_window: t.explain.tooEarly,
  after_conversion: t.explain.afterIt,
  repeat_of_session: t.explain.repeat,
  path_full: t.explain.pathEnds,
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
      <summary className="label cursor-pointer">{t.explain.hadNoPart(touches.length, count(touches.length))}</summary>
      <ul className="label mt-1 grid gap-0.5">
        {touches.map(({ occurred_at: at, channel, reason }) => (
          <li key={`${at} ${channel} ${reason}`}>
            {moment(at, timeZone)}, {channelTitle(channel)}: {reasons[reason]}
          </li>
        ))}
      </ul>
      <p className="label mt-1">{t.explain.looksBack(lookbackDays)}</p>
    </details>
  );
}
