import type { PersonalData } from '@tributary/domain/commerce/customers';

export const personalData: PersonalData = {
  postgres: {
    webhook_deliveries: {
      erasure: 'nobody',
      words:
        'What was sent is not kept: the event is read in the log, and the person at each attempt. A test is made up.',
    },
    webhook_subscriptions: { erasure: 'not a customer', words: 'Where a receiver of the business answers.' },
  },
};
