import { type Fault, faultsIn } from '../fault.ts';

/** Of the tracker's keys, domains and health. */
export const faults: readonly Fault[] = [
  ...faultsIn(
    'domain/traffic/tracking/domains/domain-verdict.ts',
    ['domain/traffic/tracking/domains/domain-verdict.test.ts'],
    {
      'outage-unverifies-domain': [
        "status: wasVerified ? 'verified' : 'failed',",
        "status: 'failed',",
        'a DNS server that is away takes a verified domain from its owner',
      ],
      'any-txt-verifies': [
        'Array.isArray(txt) && txt.includes(token)',
        'Array.isArray(txt) && txt.length > 0',
        'somebody registers a domain that is not theirs',
      ],
      'any-alias-verifies': [
        'Array.isArray(cname) && cname.includes(target)',
        'Array.isArray(cname) && cname.length > 0',
        'a domain that leads elsewhere counts as verified',
      ],
    },
  ),
  ...faultsIn('domain/traffic/tracking/domains/host-name.ts', ['domain/traffic/tracking/domains/host-name.test.ts'], {
    'private-names-taken': [
      'privateEndings.some((ending) => host.endsWith(`.${ending}`)) ? undefined : host',
      'host',
      'a name that means nothing on the internet is registered',
    ],
    'addresses-are-names': [
      "if (!host?.includes('.') || isIP(host) !== 0) return undefined;",
      "if (!host?.includes('.')) return undefined;",
      'an IP address is registered as a domain',
    ],
  }),
  ...faultsIn(
    'domain/traffic/tracking/store.ts',
    ['domain/traffic/tracking/installation/verification.test.ts', 'domain/traffic/tracking/keys/keys.test.ts'],
    {
      'lapsed-nonce-verifies': [
        "    .where('expires_at', '>', now)\n    .returning('id')",
        "    .returning('id')",
        'an old installation link proves that the tracker works',
      ],
      'proof-thrown-away': [
        ' AND id NOT IN (\n      SELECT id FROM tracking_verifications WHERE profile_id = ${row.profile_id} AND verified_at IS NOT NULL\n      ORDER BY started_at DESC, id DESC LIMIT 1\n    )',
        '',
        'twenty new attempts throw away the proof that it worked',
      ],
    },
  ),
  ...faultsIn('domain/traffic/tracking/health/quality.ts', ['domain/traffic/tracking/health/health.test.ts'], {
    'bots-among-the-unmatched': [
      '((visits - bots) * sampledUnmatched) / sampled',
      '(visits * sampledUnmatched) / sampled',
      'robots count among the visits of nobody',
    ],
    'silent-too-late': [
      'now.getTime() - Date.parse(lastVisitAt) >= silentAfterMs',
      'now.getTime() - Date.parse(lastVisitAt) > silentAfterMs',
      'silence is told a moment late',
    ],
  }),
  {
    id: 'alert-in-a-backlog',
    file: 'domain/notifications/alerts/alert-rules.ts',
    from: 'through: sources.visitsThrough',
    to: 'through: sources.now',
    breaks: 'a tracker is called silent while its visits wait in the log',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
  {
    id: 'pauses-never-forgotten',
    file: 'packages/postgres/migrations/0210_longest_pause.sql',
    from: "l.longest_pause_seconds * (1 - least(1, extract(epoch FROM excluded.received_at - l.received_at) / extract(epoch FROM interval '30 days')))",
    to: 'l.longest_pause_seconds',
    breaks: 'after one long pause a tracker may be gone for as long again, for ever',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
  {
    id: 'alert-mails-of-healthcare',
    file: 'domain/notifications/alerts/look-for-alerts.job.ts',
    from: 'if (isMailed && !(await isHealthcareProfile(tx, profileId)))',
    to: 'if (isMailed)',
    breaks: 'alerts of a healthcare-family profile are mailed',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
  {
    id: 'alert-over-too-soon',
    file: 'domain/notifications/alerts/alert-rules.ts',
    from: "stages.attribution.state === 'current' && stages.delivery.state === 'current'",
    to: "stages.attribution.state === 'current' || stages.delivery.state === 'current'",
    breaks: 'late figures are called up to date while delivery is behind',
    tests: ['domain/notifications/alerts/alerts.test.ts'],
  },
];
