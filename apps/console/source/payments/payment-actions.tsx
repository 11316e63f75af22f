import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { TributaryError } from '@tributary/sdk';
import { type ReactNode, useId } from 'react';
import { clientFor } from '../client.ts';
import { moment, money, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { problemOf } from '../problem.ts';
import { useReportScope } from '../report-scope.ts';
import { type PaymentRow, paymentQuery } from './queries.ts';

interface ActionsProps {
  readonly payment: PaymentRow;
  readonly timeZone: string;
}

/** The actions on a payment, each with its undo, and the actions taken so far. */
export function PaymentActions({ payment, timeZone }: ActionsProps) {
  const { scope } = useReportScope();
  const client = clientFor(scope.profileId);
  const queryClient = useQueryClient();
  const params = { payment_id: payment.id };
  const act = useMutation({
    mutationFn: (action: () => Promise<unknown>) => action(),
    // Refetches everything except the account, also after a failure: only the last step may have timed out.
    onSettled: () => queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'account' }),
  });
  const run = (action: () => Promise<unknown>) => act.mutate(action);
  return (
    <div className="grid gap-4">
      {act.isError && (
        <p role="alert" className="max-w-prose border-problem border-l-2 pl-3 text-problem">
          {wordsFor(act.error)}
        </p>
      )}
      <fieldset disabled={act.isPending} className="flex flex-wrap items-end gap-x-8 gap-y-4">
        <button
          type="button"
          className="button"
          onClick={() =>
            run(() => client.updateInstallment({ params, body: { is_installment: !payment.is_installment } }))
          }
        >
          {payment.is_installment ? t.payments.notInstallment : t.payments.markInstallment}
        </button>
        {payment.manual_refund ? (
          <button type="button" className="button" onClick={() => run(() => client.deletePaymentRefund({ params }))}>
            {t.payments.undoRefund(money(payment.manual_refund.amount, payment.currency))}
          </button>
        ) : (
          <PaymentField
            title={t.payments.refundOutside(payment.currency)}
            name="amount"
            initial={payment.net}
            button={t.payments.recordRefund}
            send={(amount) => run(() => client.createPaymentRefund({ params, body: { amount } }))}
          />
        )}
        <PaymentField
          title={t.payments.whoPaid}
          name="customer_key"
          initial={payment.payer?.customer_key ?? ''}
          button={t.payments.assignPayer}
          send={(key) => run(() => client.updatePayer({ params, body: { customer_key: key } }))}
        >
          {payment.payer && (
            <button
              type="button"
              className="button"
              onClick={() => run(() => client.updatePayer({ params, body: { customer_key: null } }))}
            >
              {t.common.undo}
            </button>
          )}
        </PaymentField>
      </fieldset>
      <Entries payment={payment} timeZone={timeZone} />
    </div>
  );
}

function wordsFor(error: Error): string {
  const isLate = error instanceof TributaryError && error.is('payment_assignment_incomplete');
  return isLate ? t.payments.kept : problemOf(error);
}

interface PaymentFieldProps {
  readonly title: string;
  readonly name: string;
  readonly initial: string;
  readonly button: string;
  readonly send: (text: string) => void;
  readonly children?: ReactNode;
}

function PaymentField({ title, name, initial, button, send, children }: PaymentFieldProps) {
  const field = useId();
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send(String(new FormData(event.currentTarget).get(name)).trim());
      }}
    >
      <div className="grid gap-1">
        <label htmlFor={field} className="label">
          {title}
        </label>
        <input id={field} name={name} className="field w-44" defaultValue={initial} autoComplete="off" required />
      </div>
      <button type="submit" className="button">
        {button}
      </button>
      {children}
    </form>
  );
}

function Entries({ payment, timeZone }: ActionsProps) {
  const { scope } = useReportScope();
  const { data } = useQuery(paymentQuery(scope.profileId, payment.id));
  if (!data || data.entries.length === 0) return null;
  return (
    <ul className="label grid gap-1" aria-label={t.payments.entries}>
      {data.entries.map(({ id, action, at, amount }) => (
        <li key={id}>
          {moment(at, timeZone)}: {words(action)}
          {amount && ` (${money(amount, payment.currency)})`}
        </li>
      ))}
    </ul>
  );
}
