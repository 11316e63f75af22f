import { channelTitle, count, duration, moment, money, nothing, words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { ConversionLink } from '../parts/conversion-link.tsx';
import type { CustomerRow } from '../queries.ts';
import { PersonLink } from './person-link.tsx';

interface ColumnOptions {
  readonly currency: string;
  readonly timeZone: string;
}

export function customerColumns({ currency, timeZone }: ColumnOptions): Column<CustomerRow>[] {
  return [
    {
      id: 'name',
      title: t.people.customer,
      value: ({ name, email }) => name ?? email,
      cell: (row) => (
        <>
          <PersonLink
            customerId={row.customer_profile_id}
            conversion={row.conversion_id}
            title={row.name ?? row.email ?? t.people.unknown}
          />
          {row.name && row.email && <span className="label block break-all">{row.email}</span>}
        </>
      ),
    },
    {
      id: 'time',
      title: t.common.when,
      value: ({ conversion_time: at }) => at,
      cell: ({ conversion_time: at, conversion_id: conversionId }) => (
        <ConversionLink conversionId={conversionId}>{moment(at, timeZone)}</ConversionLink>
      ),
    },
    {
      id: 'revenue',
      title: t.metrics.revenue,
      isNumber: true,
      value: ({ revenue }) => revenue,
      cell: ({ revenue, revenue_type: type }) => (
        <>
          <Converted amount={revenue} currency={currency} />
          {type !== 'cash' && <span className="label block">{words(type)}</span>}
        </>
      ),
    },
    {
      id: 'channel',
      title: t.people.cameBy,
      value: ({ channel }) => channel,
      cell: ({ channel, source }) => (
        <>
          {isKnown(channel) ? channelTitle(channel) : nothing}
          {isKnown(source) && <span className="label block break-all">{source}</span>}
        </>
      ),
    },
    {
      id: 'touches',
      title: t.people.touches,
      isNumber: true,
      value: ({ touch_count: touches }) => touches,
      cell: ({ touch_count: touches, time_to_complete_seconds: seconds }) => (
        <>
          {count(touches)}
          {touches > 1 && <span className="label block">{t.people.within(duration(seconds))}</span>}
        </>
      ),
    },
    {
      id: 'all',
      title: t.people.lifetimeValue,
      isNumber: true,
      value: ({ total_revenue: cash }) => cash,
      cell: ({ total_revenue: cash, conversion_count: conversions }) => (
        <>
          <Converted amount={cash} currency={currency} />
          <span className="label block">{t.people.conversions(conversions, count(conversions))}</span>
        </>
      ),
    },
  ];
}

/** A dash where no exchange rate was found; the tooltip says so. */
function Converted({ amount, currency }: { readonly amount: number | null; readonly currency: string }) {
  return <span title={amount === null ? t.people.noRate : undefined}>{money(amount, currency)}</span>;
}

const isKnown = (text: string): boolean => text !== '' && text !== 'unknown';
