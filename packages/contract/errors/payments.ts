import type { ErrorTable } from './entry.ts';

export const paymentErrors = {
  amount_invalid: {
    status: 422,
    title: 'Refund amount refused',
    meaning:
      'A refund has to be more than nothing, and no more than is left of the payment after what the provider gave back.',
    whatToDo: 'Read the payment, and send an amount above zero and at most its `net`.',
    retry: 'after_change',
  },
  manual_refund_exists: {
    status: 422,
    title: 'Refund already recorded',
    meaning: 'A payment holds one refund recorded by hand, and this one has it.',
    whatToDo: 'To change it, remove it with DELETE /api/v1/payments/{payment_id}/refund and record the new one.',
    retry: 'after_change',
  },
  payment_assignment_incomplete: {
    status: 502,
    title: 'Payer stored, not yet everywhere',
    meaning: 'Who paid is saved, but not every place that shows it has caught up.',
    whatToDo: 'Send the same request again with growing pauses; it picks up where it stopped.',
    retry: 'with_backoff',
  },
  payment_ref_invalid: {
    status: 422,
    title: 'Not a payment id',
    meaning: 'The payment_id in the path is not a UUID.',
    whatToDo: 'Use the `id` of a row from GET /api/v1/payments.',
    retry: 'after_change',
  },
  status_invalid: {
    status: 422,
    title: 'Unknown status filter',
    meaning: 'Payments are listed either all together or only those whose payer is not known.',
    whatToDo: 'Send status=all or status=unidentified, or leave it out.',
    retry: 'after_change',
  },
  range_invalid: {
    status: 422,
    title: 'Period refused',
    meaning: 'The period asked for has no readable beginning or end, or ends before it begins.',
    whatToDo: 'Send both `from` and `to` as dates or times, the first no later than the second.',
    retry: 'after_change',
  },
} as const satisfies ErrorTable;
