import { moment, money, nothing, words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { ConversionLink } from '../parts/conversion-link.tsx';
import { State } from '../parts/page.tsx';
import { PersonLink } from '../people/person-link.tsx';
import type { PaymentRow } from './queries.ts';
import { recordName } from './record-name.ts';

interface ColumnOptions {
  readonly timeZone: string;
  readonly mayWrite: boolean;
  /** The payment whose actions are shown. */
  readonly open: string | undefined;
  readonly toggle: (id: string) => void;
}

export function paymentColumns({ timeZone, mayWrite, open, toggle }: ColumnOptions): Column<PaymentRow>[] {
  return [
    {
      id: 'paid',
      title: t.payments.paid,
      value: ({ paid_at: at }) => at,
      cell: ({ paid_at: at, external_id: id, provider }) => (
        <>
          {moment(at, timeZone)}
          <span className="label block break-all">
            {words(provider)} · {id}
          </span>
        </>
      ),
    },
    {
      id: 'payer',
      title: t.payments.payer,
      value: ({ customer_key: key }) => key,
      cell: ({ customer_key: key, customer_profile_id: customerId, payer }) => (
        <>
          {customerId ? <PersonLink customerId={customerId} title={key ?? t.payments.unnamed} /> : (key ?? nothing)}
          {payer && <span className="label block">{t.payments.assigned}</span>}
        </>
      ),
    },
    {
      id: 'net',
      title: t.payments.net,
      isNumber: true,
      value: ({ reporting_net: net }) => (net === null ? null : Number(net)),
      cell: ({ net, amount, amount_refunded: refunded, currency }) => (
        <>
          {money(net, currency)}
          {Number(refunded) > 0 && (
            <span className="label block">{t.payments.less(money(amount, currency), money(refunded, currency))}</span>
          )}
        </>
      ),
    },
    {
      id: 'status',
      title: t.payments.status,
      value: ({ status }) => status,
      cell: ({ id, status, is_first_payment: isFirst, is_installment: isInstallment, ...sale }) => (
        <>
          {words(status)}
          {sale.not_counted_because && (
            <span className="label block">{t.payments.notCounted[sale.not_counted_because]}</span>
          )}
          {sale.records
            .filter((record) => record.id !== id && (sale.counted || record.counted))
            .map((record) => (
              <span key={record.id} className="label block break-all">
                {sale.counted
                  ? t.payments.alsoReported(recordName(record), money(record.amount, record.currency))
                  : t.payments.countedRecord(recordName(record))}
              </span>
            ))}
          {isFirst && <span className="label block">{t.payments.firstPayment}</span>}
          {isInstallment && <span className="label block">{t.payments.laterInstallment}</span>}
        </>
      ),
    },
    {
      id: 'counted',
      title: t.sales.inReports,
      value: ({ counted }) => (counted ? 1 : 0),
      cell: (payment) => <InReports payment={payment} />,
    },
    ...(mayWrite
      ? [
          {
            id: 'actions',
            title: t.payments.actions,
            value: () => null,
            cell: ({ id }: PaymentRow) => (
              <button type="button" className="button" aria-expanded={open === id} onClick={() => toggle(id)}>
                {open === id ? t.common.close : t.payments.change}
              </button>
            ),
          },
        ]
      : []),
  ];
}

const reporterOf = (provider: PaymentRow['provider']): string =>
  provider === 'manual' ? t.sales.server : words(provider);

/** Whether reports count the payment, and which other sources reported the same sale. */
function InReports({ payment }: { readonly payment: PaymentRow }) {
  const { counted, not_counted_because: reason, sale_id: saleId, records } = payment;
  const main = records.find(({ id }) => id === saleId);
  return (
    <>
      <State tone={counted ? 'good' : 'plain'}>{counted ? t.sales.counted : t.sales.notCounted}</State>
      {counted &&
        records
          .filter(({ id }) => id !== payment.id)
          .map(({ id, provider, external_id: externalId }) => (
            <span key={id} className="label block break-all" title={externalId}>
              {t.sales.alsoReported(reporterOf(provider))}
            </span>
          ))}
      {reason && <span className="label block">{t.sales.reasons[reason]}</span>}
      {reason === 'duplicate' && (
        <ConversionLink conversionId={saleId} className="block text-small">
          {t.sales.openSale(reporterOf(main?.provider ?? 'manual'))}
        </ConversionLink>
      )}
    </>
  );
}
