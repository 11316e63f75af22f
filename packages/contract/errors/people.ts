import type { ErrorTable } from './entry.ts';

/** Customers, their conversions and their origin. */
export const peopleErrors = {
  customer_not_found: {
    status: 404,
    title: 'No such customer',
    meaning:
      'Nobody in this profile answers to the key, e-mail, phone or identifier given. Erased people and people of other profiles look just the same.',
    whatToDo:
      'Check the value and the profile. If the person is new, send them with POST /api/v1/customers or an event first.',
    retry: 'after_change',
  },
  customer_not_in_profile: {
    status: 422,
    title: 'Customer cannot be used',
    meaning: 'The customer that the body names lives in another profile, or was merged into someone else.',
    whatToDo: 'Find the customer with GET /api/v1/customers/search and send the id found there.',
    retry: 'after_change',
  },
  conversion_not_found: {
    status: 404,
    title: 'No such conversion',
    meaning: 'The handle fits neither an outcome id, nor a conversion id, nor an event key of this profile.',
    whatToDo:
      'Use the outcome_event_id that POST /api/v1/events answered with, or your own idempotency_key of that event.',
    retry: 'after_change',
  },
  erasure_not_found: {
    status: 404,
    title: 'No such erasure receipt',
    meaning: 'This profile has no receipt with that id. A receipt goes when its profile is deleted.',
    whatToDo:
      'Use the erasure_id from the answer to the erasure. If it is lost, send the erasure again with the same request_ref: it returns the receipt.',
    retry: 'after_change',
  },
  link_tokens_disabled: {
    status: 503,
    title: 'Link tokens are switched off',
    meaning: 'The operator has not configured a secret for link tokens, so none can be made.',
    whatToDo:
      'Send links without a token, and do not repeat the call. The operator can switch tokens on by configuring a secret.',
    retry: 'never',
  },
  unknown_answer_key: {
    status: 422,
    title: 'Unknown answer',
    meaning: 'The answer_key is not one of the answers we know to the question of how a customer found the business.',
    whatToDo: 'Pick a key from the list in the reference. If none fits, send `other` and put the words in answer_text.',
    retry: 'after_change',
  },
  unknown_customer_ref: {
    status: 422,
    title: 'Unknown customer reference',
    meaning:
      'Nobody holds this external_ref, and without an e-mail or phone we cannot tell who it would be. Nothing was stored.',
    whatToDo: 'Add `email` or `phone` beside the external_ref and the customer is created, or correct the reference.',
    retry: 'after_change',
  },
  unknown_ad: {
    status: 422,
    title: 'Unknown ad',
    meaning: "We have never seen this ad id among the profile's ads, synced or past. Nothing was stored.",
    whatToDo:
      "Check that the id is the ad platform's id of the ad itself (not of its campaign), and that its ad account is connected and has synced.",
    retry: 'after_change',
  },
} as const satisfies ErrorTable;
