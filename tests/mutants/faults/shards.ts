import { type Fault, faultsIn } from '../fault.ts';

const places = ['tests/e2e/ledger-shards.test.ts'];
const moves = ['tests/e2e/move-workspace.test.ts'];
const inMove = (file: string) => `packages/postgres/move/${file}.ts`;

/** Of a ledger of several servers, and of workspaces that move between them. */
export const faults: readonly Fault[] = [
  ...faultsIn('packages/postgres/shards.ts', places, {
    'walls-stay-at-home': [
      'const tenantId = wall.profileId ?? wall.workspaceId ?? wall.near;',
      'const tenantId = wall.near;',
      'everything is looked for on the home shard',
    ],
    'away-counts-as-none': ['  if (error !== undefined) throw error;\n', '', 'a link whose server is away is nobody’s'],
  }),
  ...faultsIn('domain/tenancy/credentials/find-credentials.ts', places, {
    'key-of-a-lost-server-is-dead': [
      'if (!row && away !== undefined) reject(away);',
      'if (!row && away !== undefined) resolve(undefined);',
      'a key whose server is away is answered with 401',
    ],
  }),
  ...faultsIn('packages/operations/work.ts', places, {
    'account-of-the-place': [
      "const onHomeServer = route.access.grain === 'account';",
      'const onHomeServer = false;',
      'somebody who acts on another server has no sessions and assistants',
    ],
    'request-names-no-server': [
      'near: tenantIn(input), onHomeServer',
      'onHomeServer',
      'an app cannot reach what it provisioned on another server',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/session.ts', places, {
    'ended-session-lives-elsewhere': [
      '  if (!session) return undefined;\n',
      '  if (!session) throw new Error(hash);\n',
      'who has signed out is answered as if we had failed',
    ],
    'no-role-elsewhere': [
      'return { ...session, ...role };',
      'return session;',
      'nobody is a member of a workspace on another server',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/accept-invitation.ts', places, {
    'member-without-a-name': [
      '    if (isElsewhere) await copyUser(tx, user);\n',
      '',
      'nobody can join a workspace on another server',
    ],
    'account-for-another-address': [
      '  if (isElsewhere && newcomer) refuseOtherAddress(invitation, newcomer);\n',
      '',
      'an invitation for somebody else makes an account',
    ],
  }),
  ...faultsIn(inMove('changes'), moves, {
    'neighbour-hides-changes': [
      'while (await this.#readBatch());',
      'await this.#readBatch();',
      'what is written behind a neighbour’s writes is left behind',
    ],
  }),
  ...faultsIn(inMove('move-workspace'), moves, {
    'numbers-begin-anew': [
      '      await advanceSequences(servers, tenants);\n',
      '',
      'events after a move have numbers of events before it',
    ],
    'nobody-is-told-of-the-move': [
      "throw new Error('It, or one of its profiles, is being deleted. It moves when that is done.');",
      'return { workspaceId, profileIds: [] };',
      'one that is being deleted moves',
    ],
    'last-rows-stay': [
      'let rows = await copyPending(servers, copiedEarly, changes);',
      'let rows = 0;',
      'what was written last before a move is lost',
    ],
    'queues-stay': [
      'for (const table of copiedLast) rows += await copyRows(servers, table, table.condition);',
      '',
      'what waited to be worked on is forgotten by a move',
    ],
    'source-keeps-the-profile': [
      '  await client.query(`DELETE FROM profiles WHERE id = ANY (${uuids(tenants.profileIds)})`);\n',
      '',
      'keys of a workspace that has gone still work where it was',
    ],
  }),
  ...faultsIn('packages/postgres/migrations/0212_moved_tenants.sql', moves, {
    'moved-is-not-told': [
      "  IF FOUND THEN RAISE EXCEPTION 'It has moved to the ledger shard \"%\".', there USING ERRCODE = 'TR001', DETAIL = there, HINT = tenant::text; END IF;\n",
      '',
      'a process goes on writing where a workspace was',
    ],
  }),
  ...faultsIn('domain/traffic/ingestion/store.ts', ['domain/traffic/ingestion/ledger-shards.test.ts'], {
    'moved-counts-as-deleted': [
      'const missing = postgres.shards.size > 1 ? distinct.filter((id) => !found.has(id)) : [];',
      'const missing: string[] = [];',
      'visits of a workspace that has moved are dropped',
    ],
  }),
  ...faultsIn('packages/postgres/shards.ts', ['domain/traffic/ingestion/ledger-shards.test.ts'], {
    'all-visits-at-home': [
      '        shard.unbound,\n',
      '        postgres.unbound,\n',
      'visits of profiles on another server are noted at home',
    ],
  }),
  ...faultsIn('packages/stream/positions.ts', ['packages/stream/several.test.ts'], {
    'one-stream-speaks-for-all': [
      'sequencesOf(place).every((sequence, at)',
      'sequencesOf(place).some((sequence, at)',
      'an erasure is done while visits of the person wait in another stream',
    ],
  }),
  ...faultsIn('packages/stream/dead-letters.ts', ['packages/stream/several.test.ts'], {
    'letters-go-to-the-first': [
      'if (home) return { stream: home.name, subject };',
      '',
      'a dead letter comes back in another stream than its profile’s',
    ],
  }),
  ...faultsIn('packages/stream/ensure-streams.ts', ['packages/stream/several.test.ts'], {
    'a-stream-nobody-reads': [
      '  await assertNoExtraStream(link, declarations);\n',
      '',
      'a worker starts that does not know of a stream, and its visits wait for ever',
    ],
  }),
  ...faultsIn('packages/stream/stream.ts', ['packages/stream/several.test.ts'], {
    'fullest-goes-unseen': [
      'share: Math.max(one.share, other.share),',
      'share: one.share,',
      'a stream is full and nobody is told',
    ],
  }),
  ...faultsIn('apps/collector/visit-log.ts', ['apps/collector/visit-log.test.ts'], {
    'all-into-the-first-stream': ['place: this.#place, ', '', 'all visits go into one stream, however many there are'],
  }),
];
