import { outcomeProviders, uncountedReasons } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, CurrencyCode, customerKey, DecimalString, IsoTimestamp, Uuid } from '../primitives.ts';
import { PaymentStatus } from '../vocabulary.ts';

/** A payment in the format of all payment routes. */
export const Payment = z
  .strictObject({
    id: Uuid.describe('The `payment_id` of the routes below, and the `outcome_event_id` that it was recorded under.'),
    provider: z
      .enum([...outcomeProviders, 'manual'])
      .describe('Who told of it; `manual`: the business itself, by `POST /events` or a file.'),
    external_id: z.string().describe('The provider’s id of it; for `manual` the idempotency key that it came under.'),
    amount: DecimalString.describe('As it was paid.'),
    amount_refunded: DecimalString.describe(
      'All that went back: told by any source of the sale, each refund once, and recorded by hand.',
    ),
    net: DecimalString.describe('What is left. Reports count this.'),
    currency: CurrencyCode,
    reporting_net: DecimalString.nullable().describe(
      'What is left, in the reporting currency, at the payment’s own rate. Null: there is none yet.',
    ),
    reporting_currency: CurrencyCode.nullable(),
    rate: DecimalString.nullable(),
    rate_date: CalendarDate.nullable(),
    status: PaymentStatus.describe('`pending` and `failed` are only told by connected providers.'),
    paid_at: IsoTimestamp,
    customer_key: customerKey('Your own key of whoever paid.'),
    customer_profile_id: Uuid.nullable().describe(
      'Null without the scope `customers:read`, and where nobody is known.',
    ),
    payer: z
      .strictObject({ assigned_at: IsoTimestamp, customer_key: customerKey('Whom the merchant says to have paid.') })
      .nullable()
      .describe('Null while the payment is of whom its own message named.'),
    is_first_payment: z.boolean().nullable().describe('Null where nobody is known to have paid.'),
    is_installment: z.boolean(),
    counted: z
      .boolean()
      .describe('Whether reports count it. Of a sale that several sources report, one record counts.'),
    not_counted_because: z
      .enum(uncountedReasons)
      .nullable()
      .describe(
        '`pending`: its sale is still being matched; `duplicate`: another record of the sale counts; `excluded`: its source is.',
      ),
    sale_id: Uuid.describe('The counted record of the same sale; its own id where it counts or is alone.'),
    records: z
      .array(
        z.strictObject({
          id: Uuid,
          provider: z.enum([...outcomeProviders, 'manual']),
          external_id: z.string(),
          amount: DecimalString,
          currency: CurrencyCode,
          paid_at: IsoTimestamp,
          counted: z.boolean().describe('Whether this record is the one that counts.'),
        }),
      )
      .describe('All records of the sale, the counted one first. Empty where one source alone reports it.'),
    manual_refund: z
      .strictObject({ amount: DecimalString, recorded_at: IsoTimestamp })
      .nullable()
      .describe('The one refund that may be recorded by hand.'),
  })
  .meta({ id: 'Payment' });
