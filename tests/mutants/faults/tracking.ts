import { type Fault, faultsIn } from '../fault.ts';

/** Faults in tracking keys, domains and tracking health. */
export const faults: readonly Fault[] = [
  ...faultsIn(
    'domain/traffic/tracking/domains/domain-verdict.ts',
    ['domain/traffic/tracking/domains/domain-verdict.test.ts'],
    {
      'outage-unverifies-domain': [
        "status: wasVerified ? 'verified' : 'failed',",
        "status: 'failed',",
        'an outage of a DNS server revokes a verified domain',
      ],
      'any-txt-verifies': [
        'Array.isArray(txt) && txt.includes(token)',
        'Array.isArray(txt) && txt.length > 0',
        'a domain can be verified by others than its owner',
      ],
      'any-alias-verifies': [
        'Array.isArray(cname) && cname.includes(target)',
        'Array.isArray(cname) && cname.length > 0',
        'a domain whose CNAME points elsewhere counts as verified',
      ],
    },
  ),
  ...faultsIn('domain/traffic/tracking/domains/host-name.ts', ['domain/traffic/tracking/domains/host-name.test.ts'], {
    'private-names-taken': [
      'privateEndings.some((ending) => host.endsWith(`.${ending}`)) ? undefined : host',
      'host',
      'a private host name can be registered as a domain',
    ],
    'addresses-are-names': [
      "if (!host?.includes('.') || isIP(host) !== 0) return undefined;",
      "if (!host?.includes('.')) return undefined;",
      'an IP address can be registered as a domain',
    ],
  }),
  ...faultsIn(
    'domain/traffic/tracking/store.ts',
    ['domain/traffic/tracking/installation/verification.test.ts', 'domain/traffic/tracking/keys/keys.test.ts'],
    {
      'lapsed-nonce-verifies': [
        "    .where('expires_at', '>', now)\n    .returning('id')",
        "    .returning('id')",
        'an expired installation link still verifies the tracker',
      ],
      'proof-thrown-away': [
        ' AND id NOT IN (\n      SELECT id FROM tracking_verifications WHERE profile_id = ${row.profile_id} AND verified_at IS NOT NULL\n      ORDER BY started_at DESC, id DESC LIMIT 1\n    )',
        '',
        'twenty new attempts delete the proof of a successful verification',
      ],
    },
  ),
  ...faultsIn('domain/traffic/tracking/health/quality.ts', ['domain/traffic/tracking/health/health.test.ts'], {
    'bots-among-the-unmatched': [
      '((visits - bots) * sampledUnmatched) / sampled',
      '(visits * sampledUnmatched) / sampled',
      'bots count among the unmatched visits',
    ],
    'silent-too-late': [
      'now.getTime() - Date.parse(lastVisitAt) >= silentAfterMs',
      'now.getTime() - Date.parse(lastVisitAt) > silentAfterMs',
      'a silent tracker is reported one millisecond late',
    ],
  }),
  {
    id: 'alert-in-a-backlog',
    file: 'domain/notifications/alerts/alert-rules.ts',
    from: 'through: sources.visitsThrough',
    to: 'through: sources.now',
    breaks: 'a tracker is reported as silent while its visits wait in the stream',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
  {
    id: 'pauses-never-forgotten',
    file: 'packages/postgres/migrations/0210_longest_pause.sql',
    from: "l.longest_pause_seconds * (1 - least(1, extract(epoch FROM excluded.received_at - l.received_at) / extract(epoch FROM interval '30 days')))",
    to: 'l.longest_pause_seconds',
    breaks: 'after one long pause, a tracker may always be silent for that long without an alert',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
  {
    id: 'alert-mails-of-healthcare',
    file: 'domain/notifications/alerts/look-for-alerts.job.ts',
    from: 'if (isMailed && !(await isHealthcareProfile(tx, profileId)))',
    to: 'if (isMailed)',
    breaks: 'alerts of a healthcare profile are mailed',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
  {
    id: 'alert-over-too-soon',
    file: 'domain/notifications/alerts/alert-rules.ts',
    from: "stages.attribution.state === 'current' && stages.delivery.state === 'current'",
    to: "stages.attribution.state === 'current' || stages.delivery.state === 'current'",
    breaks: 'a late-figures alert ends while delivery data is still behind',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
];
