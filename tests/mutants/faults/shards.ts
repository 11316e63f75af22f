import { type Fault, faultsIn } from '../fault.ts';

const places = ['tests/e2e/ledger-shards.test.ts'];
const moves = ['tests/e2e/move-workspace.test.ts'];
const inMove = (file: string) => `packages/postgres/move/${file}.ts`;

/** Faults with several PostgreSQL shards, and in moving workspaces between them. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/postgres/shards.ts', places, {
    'walls-stay-at-home': [
      'const tenantId = wall.profileId ?? wall.workspaceId ?? wall.near;',
      'const tenantId = wall.near;',
      'every tenant is looked up on the home shard',
    ],
    'away-counts-as-none': [
      '  if (error !== undefined) throw error;\n',
      '',
      'a link is reported as unknown while its shard is unavailable',
    ],
  }),
  ...faultsIn('domain/tenancy/credentials/find-credentials.ts', places, {
    'key-of-a-lost-server-is-dead': [
      'if (!row && away !== undefined) reject(away);',
      'if (!row && away !== undefined) resolve(undefined);',
      'a key is answered with 401 while its shard is unavailable',
    ],
  }),
  ...faultsIn('packages/operations/work.ts', places, {
    'account-of-the-place': [
      "const onHomeServer = route.access.grain === 'account';",
      'const onHomeServer = false;',
      'a user whose workspace is on another shard has no sessions and assistants',
    ],
    'request-names-no-server': [
      'near: tenantIn(input), onHomeServer',
      'onHomeServer',
      'an app cannot reach what it provisioned on another shard',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/session.ts', places, {
    'ended-session-lives-elsewhere': [
      '  if (!session) return undefined;\n',
      '  if (!session) throw new Error(hash);\n',
      'a signed-out user gets an internal error',
    ],
    'no-role-elsewhere': [
      'return { ...session, ...role };',
      'return session;',
      'members have no role in a workspace on another shard',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/accept-invitation.ts', places, {
    'member-without-a-name': [
      '    if (isElsewhere) await copyUser(tx, user);\n',
      '',
      'nobody can join a workspace on another shard',
    ],
    'account-for-another-address': [
      '  if (isElsewhere && newcomer) refuseOtherAddress(invitation, newcomer);\n',
      '',
      'an invitation for another address creates an account',
    ],
  }),
  ...faultsIn(inMove('changes'), moves, {
    'neighbour-hides-changes': [
      'while (await this.#readBatch());',
      'await this.#readBatch();',
      "a move loses changes written after another transaction's changes",
    ],
  }),
  ...faultsIn(inMove('move-workspace'), moves, {
    'numbers-begin-anew': [
      '      await advanceSequences(servers, tenants);\n',
      '',
      'events after a move reuse sequence numbers',
    ],
    'nobody-is-told-of-the-move': [
      "throw new Error('It, or one of its profiles, is being deleted. It moves when that is done.');",
      'return { workspaceId, profileIds: [] };',
      'a workspace that is being deleted is moved',
    ],
    'last-rows-stay': [
      'let rows = await copyPending(servers, copiedEarly, changes);',
      'let rows = 0;',
      'rows written just before a move are lost',
    ],
    'queues-stay': [
      'for (const table of copiedLast) rows += await copyRows(servers, table, table.condition);',
      '',
      'a move loses queued work',
    ],
    'source-keeps-the-profile': [
      '  await client.query(`DELETE FROM profiles WHERE id = ANY (${uuids(tenants.profileIds)})`);\n',
      '',
      'the keys of a moved workspace still work on the old shard',
    ],
  }),
  ...faultsIn('packages/postgres/migrations/0212_moved_tenants.sql', moves, {
    'moved-is-not-told': [
      "  IF FOUND THEN RAISE EXCEPTION 'It has moved to the ledger shard \"%\".', there USING ERRCODE = 'TR001', DETAIL = there, HINT = tenant::text; END IF;\n",
      '',
      'a process keeps writing to the old shard of a moved workspace',
    ],
  }),
  ...faultsIn('domain/traffic/ingestion/store.ts', ['domain/traffic/ingestion/ledger-shards.test.ts'], {
    'moved-counts-as-deleted': [
      'const missing = postgres.shards.size > 1 ? distinct.filter((id) => !found.has(id)) : [];',
      'const missing: string[] = [];',
      'visits of a moved workspace are dropped',
    ],
  }),
  ...faultsIn('packages/postgres/shards.ts', ['domain/traffic/ingestion/ledger-shards.test.ts'], {
    'all-visits-at-home': [
      '        shard.unbound,\n',
      '        postgres.unbound,\n',
      'visits of profiles on another shard are recorded on the home shard',
    ],
  }),
  ...faultsIn('packages/stream/positions.ts', ['packages/stream/several.test.ts'], {
    'one-stream-speaks-for-all': [
      'sequencesOf(place).every((sequence, at)',
      'sequencesOf(place).some((sequence, at)',
      'an erasure completes while visits of the customer wait in another stream',
    ],
  }),
  ...faultsIn('packages/stream/dead-letters.ts', ['packages/stream/several.test.ts'], {
    'letters-go-to-the-first': [
      'if (home) return { stream: home.name, subject };',
      '',
      "a replayed dead letter goes to another stream than its profile's",
    ],
  }),
  ...faultsIn('packages/stream/ensure-streams.ts', ['packages/stream/several.test.ts'], {
    'a-stream-nobody-reads': [
      '  await assertNoExtraStream(link, declarations);\n',
      '',
      'a worker starts with an unknown stream, whose visits wait forever',
    ],
  }),
  ...faultsIn('packages/stream/stream.ts', ['packages/stream/several.test.ts'], {
    'fullest-goes-unseen': [
      'share: Math.max(one.share, other.share),',
      'share: one.share,',
      'no alert is raised when one of several streams is full',
    ],
  }),
  ...faultsIn('apps/collector/visit-log.ts', ['apps/collector/visit-log.test.ts'], {
    'all-into-the-first-stream': ['place: this.#place, ', '', 'all visits go to the first of several streams'],
  }),
];
