/** A table that holds people, and what an erasure does with theirs. */
export interface PersonStore {
  readonly store: 'postgres' | 'clickhouse';
  readonly table: string;
  readonly erasure: 'deleted' | 'cleared' | 'renamed' | 'sealed' | 'hashed' | 'not a customer';
  readonly words: string;
}

const ledger = (table: string, erasure: PersonStore['erasure'], words: string): PersonStore => ({
  store: 'postgres',
  table,
  erasure,
  words,
});
const columns = (table: string, erasure: PersonStore['erasure'], words: string): PersonStore => ({
  store: 'clickhouse',
  table,
  erasure,
  words,
});

/**
 * Every table with a column that could say who somebody is. A test reads the columns of both engines and fails for a table that is
 * missing here: whoever adds one says here what an erasure does with it, and sees to it that it does.
 */
export const personStores: readonly PersonStore[] = [
  ledger('customers', 'deleted', 'A customer without a person takes the place.'),
  ledger('identifiers', 'deleted', 'Each is remembered as a keyed hash.'),
  ledger('identity_conflicts', 'deleted', 'Also where somebody else had the identifier.'),
  ledger('merges', 'deleted', 'Who was merged into whom.'),
  ledger('search_terms', 'deleted', 'They follow the customer.'),
  ledger('outcomes', 'cleared', 'Money, time and name of the event stay, of the customer without a person.'),
  ledger('outcome_totals', 'renamed', 'They follow the outcomes.'),
  ledger('journey_summaries', 'deleted', 'What a model wrote of the person, or of one of their browsers.'),
  ledger('dirty_customers', 'renamed', 'Ids only.'),
  ledger('visitor_links', 'renamed', 'Browsers go to the customer without a person.'),
  ledger('bad_visits', 'deleted', 'Those of the browsers and those that name the person.'),
  ledger('idempotent_answers', 'cleared', 'Stored answers are written again without the person.'),
  ledger('idempotent_answer_people', 'deleted', 'Which answers named the person.'),
  ledger('tombstones', 'hashed', 'Keyed hashes of what the person was known by.'),
  ledger('erasures', 'sealed', 'The key on the receipt, under the vault’s key.'),
  ledger('erasure_work', 'deleted', 'Ids, until the erasure is done.'),
  columns('visits', 'cleared', 'Time, channel, ad, country and kind stay.'),
  columns('touches', 'renamed', 'The browser’s id leads to the customer without a person.'),
  columns('attributed_conversions', 'renamed', 'The person’s id becomes that of the customer without a person.'),
  columns('attribution_history', 'renamed', 'The same in earlier versions.'),
  columns('attribution_results', 'deleted', 'What batches left behind.'),
  columns('attribution_conversions', 'deleted', 'What batches left behind.'),
  columns('attribution_links', 'deleted', 'What batches left behind.'),
  columns('attribution_touches', 'deleted', 'What batches left behind.'),
  ledger('users', 'not a customer', 'Who signs in to the console.'),
  ledger('sessions', 'not a customer', 'Who signs in to the console.'),
  ledger('accounts', 'not a customer', 'Who signs in to the console.'),
  ledger('invitations', 'not a customer', 'Who is asked to sign in to the console.'),
  ledger('verifications', 'not a customer', 'Codes of those who sign in.'),
  ledger('oauth_access_tokens', 'not a customer', 'Of the assistants of those who sign in.'),
  ledger('oauth_refresh_tokens', 'not a customer', 'Of the assistants of those who sign in.'),
  ledger('pii_access_log', 'not a customer', 'How many people were read, and by whom.'),
  ledger('tracking_verifications', 'not a customer', 'The page on which the tracker is looked for.'),
  ledger('key_ring', 'not a customer', 'The service’s own keys.'),
];

/** Names of columns that could say who somebody is. */
export const personColumn =
  /customer|person|people|visitor|merged_into|moved_from|loser|survivor|shell|email|phone|first_name|last_name|national|wa_id|address|subject_ref|sealed|^rest$|^terms?$|^url$|referrer|^city$|user_agent|session_id/;
