import { words } from '../format.ts';
import { t } from '../messages/index.ts';

/** "Stripe, ch_3Px": a record of a sale by its source and its id there. */
export const recordName = ({
  provider,
  external_id: id,
}: {
  readonly provider: string;
  readonly external_id: string | null;
}): string => [provider === 'manual' ? t.payments.ownSource : words(provider), id].filter(Boolean).join(', ');
