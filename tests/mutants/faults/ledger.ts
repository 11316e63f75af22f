import { type Fault, faultsIn } from '../fault.ts';

const m = (file: string) => `packages/postgres/migrations/${file}.sql`;

/** Faults in PostgreSQL functions, triggers and policies. For a function that was replaced, the fault is in its latest version. */
export const faults: readonly Fault[] = [
  ...faultsIn(
    m('0044_rates_and_bundles'),
    ['domain/tenancy/credentials/access.test.ts', 'domain/tenancy/credentials/healthcare.test.ts'],
    {
      'expired-keys-live': [' AND (k.expires_at IS NULL OR k.expires_at > at)', '', 'an expired key still works'],
      'revoked-keys-live': [
        'WHERE k.hash = ANY (hashes) AND k.revoked_at IS NULL',
        'WHERE k.hash = ANY (hashes)',
        'a revoked key still works',
      ],
      'disabled-app-lives': [
        '    AND a.disabled_at IS NULL\n  UNION ALL',
        '  UNION ALL',
        'the keys of a disabled app still work',
      ],
      'tokens-never-end': [' AND t.expires_at > at', '', 'app tokens never expire'],
      'revoked-grant-counts': [
        "CASE WHEN k.app_id IS NULL THEN NULL ELSE coalesce(g.oauth_scopes, '{}') END",
        'CASE WHEN k.app_id IS NULL THEN NULL ELSE g.oauth_scopes END',
        'a key whose grant was revoked keeps all its scopes',
      ],
      'archived-profile-answers': [
        'JOIN profiles p ON p.id = k.profile_id AND p.archived_at IS NULL',
        'JOIN profiles p ON p.id = k.profile_id',
        'the keys of a deleted profile still work',
      ],
      'grants-keep-people': [
        "array_replace(oauth_scopes, 'analytics_pii', 'analytics')",
        'oauth_scopes',
        'a grant gives access to customer data again after privacy was loosened',
      ],
    },
  ),
  ...faultsIn(m('0044_rates_and_bundles'), ['domain/measurement/journeys/journey-summary.test.ts'], {
    'agency-shows-people': [
      '    k.requests_per_minute, p.is_attribution_enabled,\n    w.is_healthcare_agency OR p.privacy_mode',
      '    k.requests_per_minute, p.is_attribution_enabled,\n    p.privacy_mode',
      'profiles of a healthcare agency show customer data',
    ],
  }),
  ...faultsIn(m('0001_tenancy'), ['packages/postgres/ledger.test.ts'], {
    'workspaces-see-each-other': [
      'ON workspaces TO tributary_app USING (id = current_workspace())',
      'ON workspaces TO tributary_app USING (current_workspace() IS NOT NULL)',
      'a workspace can read all other workspaces',
    ],
  }),
  ...faultsIn(m('0004_idempotency'), ['packages/postgres/ledger.test.ts', 'tests/generated/repeat.test.ts'], {
    'answers-of-everybody': [
      'ON idempotent_answers TO tributary_app USING (owner_id = current_owner())',
      'ON idempotent_answers TO tributary_app USING (true)',
      'stored responses of other callers can be read',
    ],
  }),
  ...faultsIn(
    m('0006_accountability'),
    ['domain/tenancy/accountability', 'domain/tenancy/credentials/access.test.ts'],
    {
      'audit-into-foreign-log': [
        "  IF workspace IS DISTINCT FROM current_workspace()\n    AND NOT EXISTS (SELECT FROM profiles WHERE id = current_profile() AND workspace_id = workspace) THEN\n    RAISE EXCEPTION 'an audit entry belongs to the workspace of its transaction' USING ERRCODE = '42501';\n  END IF;\n",
        '',
        "an entry can be written into another workspace's audit log",
      ],
      'audit-chain-open': [
        'entry_hash := sha256(head.hash || convert_to(',
        "entry_hash := sha256('\\x'::bytea || convert_to(",
        'entries can be removed from the audit log undetected',
      ],
      'audit-actor-not-hashed': [
        '* 1000)::bigint, actor_kind, actor_id, action',
        '* 1000)::bigint, actor_kind, action',
        'the actor of an audit entry can be changed undetected',
      ],
    },
  ),
  ...faultsIn(
    m('0006_accountability'),
    ['domain/tenancy/credentials/access.test.ts', 'packages/operations/personal-data-gate.test.ts'],
    {
      'switch-without-lock': [
        'CREATE TRIGGER privacy_switch BEFORE UPDATE OF privacy_mode, archived_at ON profiles\n  FOR EACH ROW EXECUTE FUNCTION take_privacy_lock();\n',
        '',
        'personal data is sent after the switch to healthcare was committed',
      ],
      'app-reaches-any-profile': [
        'AND (g.app_id IS NOT NULL OR p.governing_app_id = app)',
        '',
        'an app can get a token for a profile of others',
      ],
      'app-fills-foreign-workspace': [
        'w.id = workspace AND w.provisioned_by = app AND',
        'w.id = workspace AND',
        'an app can create profiles in a workspace of others',
      ],
    },
  ),
  ...faultsIn(
    m('0007_customers'),
    [
      'domain/privacy/erasures/erase-customer.test.ts',
      'domain/traffic/identity/identity.test.ts',
      'domain/commerce/customers/search-customers.test.ts',
      'domain/commerce/customers/import-customers.test.ts',
      'domain/privacy/erasures/create-erasure.test.ts',
    ],
    {
      'old-names-still-found': [
        '      SELECT profile_id, unnest(terms) AS term, id FROM old_rows EXCEPT SELECT profile_id, unnest(terms), id FROM new_rows\n',
        '      SELECT profile_id, unnest(terms) AS term, id FROM old_rows WHERE false\n',
        'search keeps the name of a merged and then erased customer, and no merge can be undone',
      ],
      'erased-still-found': [
        'CREATE TRIGGER terms_of_deleted AFTER DELETE ON customers REFERENCING OLD TABLE AS old_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION follow_terms();',
        '',
        'search still finds the names of an erased customer',
      ],
    },
  ),
  ...faultsIn(
    m('0012_visitors'),
    [
      'domain/traffic/identity/identity.test.ts',
      'domain/traffic/ingestion/order.test.ts',
      'domain/measurement/attribution/attribution.test.ts',
      'domain/traffic/ingestion/pipeline.test.ts',
    ],
    {
      'browsers-stay-with-loser': [
        'CREATE TRIGGER visitors_follow_merge AFTER UPDATE OF merged_into ON customers\n  FOR EACH ROW WHEN (NEW.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into) EXECUTE FUNCTION links_follow_merge();',
        '',
        'after a merge the browsers of the merged customer have no owner',
      ],
    },
  ),
  ...faultsIn(
    m('0212_moved_tenants'),
    ['domain/traffic/ingestion/pipeline.test.ts', 'domain/measurement/attribution/attribution.test.ts'],
    {
      'late-touch-not-noticed': [
        'SELECT t.profile_id, t.at, o.id, o.occurred_at, o.event_key, o.event_type_key FROM touches t\n    JOIN outcomes o ON o.profile_id = t.profile_id AND o.customer_id = t.customer_id\n      AND o.occurred_at >= t.at',
        'SELECT t.profile_id, t.at, o.id, o.occurred_at, o.event_key, o.event_type_key FROM touches t\n    JOIN outcomes o ON o.profile_id = t.profile_id AND o.customer_id = t.customer_id\n      AND o.occurred_at > t.at',
        'a late touch at the time of the conversion earns no credit',
      ],
      'anonymous-late-touch': [
        'JOIN outcomes o ON o.profile_id = t.profile_id AND o.visitor_id = t.visitor_id AND o.customer_id IS NULL',
        'JOIN outcomes o ON o.profile_id = t.profile_id AND o.visitor_id = t.visitor_id AND o.customer_id IS NOT NULL',
        'late touches of an anonymous visitor earn no credit',
      ],
    },
  ),
  ...faultsIn(
    m('0089_merges_undone'),
    [
      'domain/commerce/payments/first-payments.test.ts',
      'domain/measurement/attribution/synthetic-touches.test.ts',
      'domain/measurement/attribution/attribution.test.ts',
    ],
    {
      'merge-leaves-first-payments': [
        "  INSERT INTO dirty_customers (profile_id, customer_id) VALUES (NEW.profile_id, NEW.merged_into)\n  ON CONFLICT (profile_id, customer_id) DO UPDATE SET revision = nextval('dirty_revision');\n",
        '',
        'after a merge a customer has two first payments',
      ],
      'merge-leaves-credits': [
        '  PERFORM mark_merged(NEW.profile_id, NEW.id, moved);\n',
        '',
        'a merge does not update credits',
      ],
    },
  ),
  ...faultsIn(m('0220_sales'), ['domain/commerce/outcomes/outcome-totals.test.ts'], {
    'totals-count-changes-twice': [
      "coalesce(reporting_currency, ''), -1, -coalesce(reporting_amount, 0)",
      "coalesce(reporting_currency, ''), 0, 0",
      'a corrected payment counts twice in lifetime cash',
    ],
    'totals-never-fall': [
      'SET outcomes = t.outcomes - gone.n, amount = t.amount - gone.amount',
      'SET outcomes = t.outcomes, amount = t.amount',
      'a deleted outcome stays in the totals',
    ],
  }),
  ...faultsIn(m('0024_journeys'), ['domain/measurement/journeys/journey-summary.test.ts'], {
    'summary-of-the-merged': [
      'DELETE FROM journey_summaries WHERE profile_id = NEW.profile_id AND person_id = NEW.id;',
      'PERFORM 1;',
      'the journey summary of a merged customer is not deleted',
    ],
    'summary-of-the-linked': [
      'CREATE TRIGGER summaries_follow_link AFTER INSERT ON visitor_links REFERENCING NEW TABLE AS new_rows\n  FOR EACH STATEMENT EXECUTE FUNCTION summaries_follow_link();',
      '',
      'the journey summary of a visitor is kept after the visitor is identified',
    ],
  }),
  ...faultsIn(m('0020_attribution'), ['domain/measurement/attribution/attribution.test.ts'], {
    'moved-conversion-stays': [
      'CREATE TRIGGER outcomes_remember_moved AFTER UPDATE OF occurred_at ON outcomes\n  FOR EACH ROW WHEN (NEW.occurred_at IS DISTINCT FROM OLD.occurred_at) EXECUTE FUNCTION remember_moved();',
      '',
      'an outcome whose time was corrected counts on both days',
    ],
  }),
  ...faultsIn(
    m('0038_visit_quotas'),
    ['apps/collector/collector.test.ts', 'domain/traffic/tracking/keys/keys.test.ts', 'apps/collector/small.test.ts'],
    {
      'revoked-tracking-key': [
        'WHERE k.key = ANY (keys) AND k.revoked_at IS NULL',
        'WHERE k.key = ANY (keys)',
        'a revoked tracking key still accepts visits',
      ],
    },
  ),
  ...faultsIn(m('0047_tenant_deletions'), ['domain/tenancy/tenants/delete-tenant.test.ts'], {
    'system-reads-any-tombstone': [
      'CREATE POLICY deleted_tenant ON tombstones TO tributary_system USING (is_being_deleted(profile_id));',
      'CREATE POLICY deleted_tenant ON tombstones TO tributary_system USING (true);',
      'a worker can delete the tombstones of any profile',
    ],
    'visits-of-the-deleted': [
      'WHERE p.id = ANY (profile_ids) AND p.archived_at IS NULL;',
      'WHERE p.id = ANY (profile_ids);',
      'visits of a deleted profile are still stored',
    ],
  }),
  ...faultsIn(m('0066_refunds'), ['domain/commerce/outcomes/outcome-totals.test.ts'], {
    'meaning-by-type-first': [
      'AND d.id = coalesce(byname.definition_id, bytype.definition_id);',
      'AND d.id = coalesce(bytype.definition_id, byname.definition_id);',
      'the definition by event type overrides the definition by event name',
    ],
  }),
  ...faultsIn(m('0066_refunds'), ['domain/advertising/exports/exports.test.ts'], {
    'told-by-type-first': [
      'SELECT o.*, coalesce(byname.definition_id, bytype.definition_id) AS definition_id',
      'SELECT o.*, coalesce(bytype.definition_id, byname.definition_id) AS definition_id',
      'an order is exported to an ad platform as a payment because of its event type',
    ],
  }),
  ...faultsIn(m('0034_meanings'), ['domain/commerce/outcomes/outcome-totals.test.ts'], {
    'totals-by-type-first': [
      'ON d.profile_id = t.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id);',
      'ON d.profile_id = t.profile_id AND d.id = coalesce(bytype.definition_id, byname.definition_id);',
      'an order counts as lifetime cash because of its event type',
    ],
  }),
  ...faultsIn(m('0030_outcome_sources'), ['domain/commerce/outcomes/announce-outcomes.test.ts'], {
    'healthcare-outcomes-announced': [
      " AND p.privacy_mode = 'standard' AND NOT w.is_healthcare_agency);",
      ');',
      'apps receive the outcomes of healthcare profiles',
    ],
  }),
  ...faultsIn(m('0041_work'), ['packages/work/queue.test.ts', 'domain/measurement/attribution/attribution.test.ts'], {
    'work-not-announced': [
      "CREATE TRIGGER announce_added AFTER INSERT ON dirty_conversions\n  REFERENCING NEW TABLE AS waiting FOR EACH STATEMENT EXECUTE FUNCTION announce_waiting('attribution');\n",
      '',
      'attribution starts half a minute late',
    ],
  }),
  ...faultsIn(
    m('0035_exchange_rate'),
    ['domain/commerce/outcomes/create-event.test.ts', 'domain/measurement/reports/delivery.test.ts'],
    {
      'rate-upside-down': [
        'round(t.per_usd / f.per_usd, 20)',
        'round(f.per_usd / t.per_usd, 20)',
        'amounts are divided by the exchange rate instead of multiplied',
      ],
      'oldest-rate-counts': [
        'WHERE r.currency = to_currency AND r.day <= on_day ORDER BY r.day DESC LIMIT 1',
        'WHERE r.currency = to_currency AND r.day <= on_day ORDER BY r.day LIMIT 1',
        'the oldest exchange rate is used',
      ],
    },
  ),
];
