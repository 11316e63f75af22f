import { type Fault, faultsIn } from '../fault.ts';

/** Of workspaces, keys, accounts and their logs. */
export const faults: readonly Fault[] = [
  ...faultsIn(
    'domain/tenancy/tenants/privacy.ts',
    ['domain/tenancy/credentials/access.test.ts', 'domain/tenancy/credentials/healthcare.test.ts'],
    {
      'app-loosens-privacy': [
        'if (isLoosened(before as PrivacyMode, mode)) {',
        'if (false) {',
        'an app makes a profile less private',
      ],
    },
  ),
  ...faultsIn(
    'domain/tenancy/tenants/create-profile.ts',
    ['domain/tenancy/credentials/access.test.ts', 'domain/tenancy/tenants'],
    {
      'one-profile-more': [
        '(await countActiveProfiles(tx, workspace.id)) < plan.activeProfiles',
        '(await countActiveProfiles(tx, workspace.id)) <= plan.activeProfiles',
        'a plan has one profile more',
      ],
      'profile-of-an-app-is-on': [
        'is_attribution_enabled: appId === undefined,',
        'is_attribution_enabled: true,',
        'what an app makes is on before the app switched it on',
      ],
    },
  ),
  ...faultsIn(
    'domain/tenancy/tenants/reach.ts',
    ['domain/tenancy/credentials/access.test.ts', 'tests/generated/probe.test.ts'],
    {
      'token-governs-elsewhere': [
        'caller.profileId !== undefined && caller.profileId !== profileId',
        'false',
        'a token of one profile governs another',
      ],
    },
  ),
  ...faultsIn('domain/tenancy/tenants/delete-tenant-step.ts', ['domain/tenancy/tenants/delete-tenant.test.ts'], {
    'columns-left-behind': [
      "  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';\n  await record({ phase: 'dead letters' });",
      "  await record({ phase: 'dead letters' });",
      'the columns of a deleted profile stay until somebody looks again',
    ],
    'deleted-while-on-the-way': [
      "if (!isPassed(await log.consumedThrough(), position)) return 'again';",
      '',
      'visits on their way come back after a profile was deleted',
    ],
    'workspace-before-profiles': [
      "if ((await countRemainingProfiles(stores.app, deletion.tenantId)) > 0) return 'again';",
      '',
      'a workspace goes before its profiles were emptied',
    ],
  }),
  ...faultsIn(
    'domain/tenancy/credentials/create-key.ts',
    ['domain/tenancy/credentials/access.test.ts', 'domain/tenancy/credentials/operator.test.ts'],
    {
      'keys-administer': [
        "new Set(['profiles:write', 'workspaces:write'])",
        'new Set([])',
        'a key may administer workspaces',
      ],
      'keys-hold-more-than-minted': [
        'const missing = requested.filter((scope) => !allowed.includes(scope));',
        'const missing: Scope[] = [];',
        'somebody mints a key that may do more than they may',
      ],
    },
  ),
  ...faultsIn('domain/tenancy/credentials/store.ts', ['domain/tenancy/credentials/access.test.ts'], {
    'apps-see-all-keys': [
      "  if (appId !== undefined) keys = keys.where('app_id', '=', appId);\n  if (before)",
      '  if (before)',
      'an app sees the keys of others',
    ],
  }),
  ...faultsIn(
    'domain/tenancy/credentials/store.ts',
    ['domain/tenancy/credentials/operator.test.ts', 'domain/tenancy/credentials/access.test.ts'],
    {
      'old-tokens-after-reset': [
        "  await tx.deleteFrom('app_tokens').where('app_id', '=', appId).execute();\n",
        '',
        'tokens of a lost secret go on working',
      ],
    },
  ),
  ...faultsIn('domain/tenancy/credentials/secret.ts', ['domain/tenancy/credentials/secret.test.ts'], {
    'checksum-not-checked': [
      ' && checksum(body) === text.slice(-checksumLength)',
      '',
      'a misspelt key is asked for in the database',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/invitation.ts', ['domain/tenancy/accounts/members.test.ts'], {
    'invitation-never-ends': [
      "if (invitation.expires_at <= now) refuseState('expired', 'This invitation has run out. Ask for a new one.');",
      '',
      'an old invitation still lets somebody in',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/accept-invitation.ts', ['domain/tenancy/accounts/members.test.ts'], {
    'invitation-of-anybody': [
      'if (email !== null && user.email !== email)',
      'if (false)',
      'an invitation for one address lets in another',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/delete-member.ts', ['domain/tenancy/accounts/members.test.ts'], {
    'last-owner-leaves': ['    refuseLastOwner(member);\n', '', 'a workspace is left without an owner'],
    'viewers-remove-others': ['if (!isLeaving) refuseUnlessManager(caller);', '', 'a viewer removes members'],
  }),
  ...faultsIn('domain/tenancy/accounts/hashed-sessions.ts', ['domain/tenancy/accounts/accounts.test.ts'], {
    'sessions-in-clear': [
      'data: { ...input.data, token: hashToken(token) } });',
      'data: { ...input.data, token } });',
      'whoever reads the table holds every session',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/compromised-passwords.ts', ['domain/tenancy/accounts/passwords.test.ts'], {
    'leaked-with-a-year': [' || leaked.has(word)', '', 'Password2026! is taken'],
    'name-of-the-product': [" || productNames.has(word.replaceAll(/[^\\p{L}]/gu, ''))", '', 'Tributary2026 is taken'],
  }),
  ...faultsIn('domain/tenancy/accounts/assert-password.ts', ['domain/tenancy/accounts/second-factor.test.ts'], {
    'borrowed-session-guesses': [
      '  await accounts.attempts.take(userId, addressHash);\n',
      '',
      'a borrowed session guesses the password without limit',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/confirm-two-factor.ts', ['domain/tenancy/accounts/second-factor.test.ts'], {
    'other-sessions-stay': [
      '    await removeOtherSessions(tx, caller.userId, accounts.hashOf(setCookie));\n',
      '',
      'after a second factor was set up a stolen session goes on',
    ],
  }),
  ...faultsIn(
    'domain/tenancy/accountability/read-pii-access-log.ts',
    ['domain/tenancy/accountability/pii-access-log.test.ts'],
    {
      'log-promises-a-page': [
        'has_next: rows.length > query.limit,',
        'has_next: rows.length >= query.limit,',
        'the access log promises a page that is empty',
      ],
    },
  ),
  ...faultsIn('domain/tenancy/accountability/store.ts', ['domain/tenancy/accountability/pii-access-log.test.ts'], {
    'accesses-of-one-moment': [
      'sql<boolean>`(at, id) < (${before.at}, ${before.id})`',
      'sql<boolean>`at < ${before.at}`',
      'entries of one millisecond are lost between two pages of the access log',
    ],
  }),
  ...faultsIn(
    'domain/tenancy/tenants/update-entitlement.ts',
    ['domain/tenancy/credentials/healthcare.test.ts', 'domain/tenancy/credentials/access.test.ts'],
    {
      'enabled-before-private': [
        '  return effect(async (tx) => {\n    await switchScope(tx, { profileId });',
        '  await context.behind({ profileId }).transaction((tx) => setEnabled(tx, profileId, body.enabled));\n  return effect(async (tx) => {\n    await switchScope(tx, { profileId });',
        'a profile is on although its privacy could not be set',
      ],
    },
  ),
];
