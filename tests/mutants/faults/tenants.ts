import { type Fault, faultsIn } from '../fault.ts';

/** Faults in workspaces, keys, accounts and their logs. */
export const faults: readonly Fault[] = [
  ...faultsIn(
    'domain/tenancy/tenants/privacy.ts',
    ['domain/tenancy/credentials/access.test.ts', 'domain/tenancy/credentials/healthcare.test.ts'],
    {
      'app-loosens-privacy': [
        'if (isLoosened(before as PrivacyMode, mode)) {',
        'if (false) {',
        "an app can loosen a profile's privacy mode",
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
        'a workspace can have one profile more than its plan allows',
      ],
      'profile-of-an-app-is-on': [
        'is_attribution_enabled: appId === undefined,',
        'is_attribution_enabled: true,',
        'a profile created by an app is enabled before the app enables it',
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
        'a token of one profile can administer another',
      ],
    },
  ),
  ...faultsIn('domain/tenancy/tenants/delete-tenant-step.ts', ['domain/tenancy/tenants/delete-tenant.test.ts'], {
    'columns-left-behind': [
      "  if ((await stores.forgetColumns(tenantId)) > 0) return 'again';\n  await record({ phase: 'dead letters' });",
      "  await record({ phase: 'dead letters' });",
      "a deleted profile's data stays in ClickHouse",
    ],
    'deleted-while-on-the-way': [
      "if (!isPassed(await log.consumedThrough(), position)) return 'again';",
      '',
      'visits in the stream are stored after their profile was deleted',
    ],
    'workspace-before-profiles': [
      "if ((await countRemainingProfiles(stores.app, deletion.tenantId)) > 0) return 'again';",
      '',
      'a workspace is deleted before its profiles were emptied',
    ],
  }),
  ...faultsIn(
    'domain/tenancy/credentials/create-key.ts',
    ['domain/tenancy/credentials/access.test.ts', 'domain/tenancy/credentials/operator.test.ts'],
    {
      'keys-administer': [
        "new Set(['profiles:write', 'workspaces:write'])",
        'new Set([])',
        'a key can administer workspaces',
      ],
      'keys-hold-more-than-minted': [
        'const missing = requested.filter((scope) => !allowed.includes(scope));',
        'const missing: Scope[] = [];',
        'a member can create a key with more scopes than their own',
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
        'tokens created with the old secret stay valid after a reset',
      ],
    },
  ),
  ...faultsIn('domain/tenancy/credentials/secret.ts', ['domain/tenancy/credentials/secret.test.ts'], {
    'checksum-not-checked': [
      ' && checksum(body) === text.slice(-checksumLength)',
      '',
      'a misspelt key causes a database lookup',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/invitation.ts', ['domain/tenancy/accounts/members.test.ts'], {
    'invitation-never-ends': [
      "if (invitation.expires_at <= now) refuseState('expired', 'This invitation has run out. Ask for a new one.');",
      '',
      'an expired invitation can still be accepted',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/accept-invitation.ts', ['domain/tenancy/accounts/members.test.ts'], {
    'invitation-of-anybody': [
      'if (email !== null && user.email !== email)',
      'if (false)',
      'an invitation for one address can be accepted by another',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/delete-member.ts', ['domain/tenancy/accounts/members.test.ts'], {
    'last-owner-leaves': ['    refuseLastOwner(member);\n', '', 'a workspace can lose its last owner'],
    'viewers-remove-others': ['if (!isLeaving) refuseUnlessManager(caller);', '', 'a viewer can remove members'],
  }),
  ...faultsIn('domain/tenancy/accounts/hashed-sessions.ts', ['domain/tenancy/accounts/accounts.test.ts'], {
    'sessions-in-clear': [
      'data: { ...input.data, token: hashToken(token) } });',
      'data: { ...input.data, token } });',
      'a reader of the table can use every session',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/compromised-passwords.ts', ['domain/tenancy/accounts/passwords.test.ts'], {
    'leaked-with-a-year': [' || leaked.has(word)', '', 'the password Password2026! is accepted'],
    'name-of-the-product': [
      " || productNames.has(word.replaceAll(/[^\\p{L}]/gu, ''))",
      '',
      'the password Tributary2026 is accepted',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/assert-password.ts', ['domain/tenancy/accounts/second-factor.test.ts'], {
    'borrowed-session-guesses': [
      '  await accounts.attempts.take(userId, addressHash);\n',
      '',
      'a stolen session can guess the password without limit',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/confirm-two-factor.ts', ['domain/tenancy/accounts/second-factor.test.ts'], {
    'other-sessions-stay': [
      '    await removeOtherSessions(tx, caller.userId, accounts.hashOf(setCookie));\n',
      '',
      'a stolen session survives the setup of a second factor',
    ],
  }),
  ...faultsIn(
    'domain/tenancy/accountability/read-pii-access-log.ts',
    ['domain/tenancy/accountability/pii-access-log.test.ts'],
    {
      'log-promises-a-page': [
        'has_next: rows.length > query.limit,',
        'has_next: rows.length >= query.limit,',
        'the access log reports a next page that is empty',
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
        'a profile is enabled although its privacy mode could not be set',
      ],
    },
  ),
];
