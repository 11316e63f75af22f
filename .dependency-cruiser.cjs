/** Import directions. Each is an error: the layout is a promise to the reader, not a wish. */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

/** The rooms, lowest first: a room imports only those below it. What must happen above goes through the outbox or a job. */
const rooms = [
  'events',
  'tenants',
  'accountability',
  'credentials',
  'accounts',
  'customers',
  'link-tokens',
  'definitions',
  'money',
  'outcomes',
  'payments',
  'sales',
  'ingestion',
  'tracking',
  'attribution',
  'campaigns',
  'partners',
  'connections',
  'creatives',
  'reports',
  'report-mails',
  'alerts',
  'experiments',
  'models',
  'top-performers',
  'ad-operations',
  'journeys',
  'identity',
  'reconciliation',
  'webhooks',
  'handoffs',
  'exports',
  'erasures',
];
/** Rooms whose place is kept while they are being built. */
const coming = [];
refuseUnranked();

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'vocabulary-imports-nothing',
      comment: 'Everybody may read it: the contract, the rules, every room, the SDK and what runs in a browser.',
      severity: 'error',
      from: { path: '^packages/vocabulary/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^packages/vocabulary/' },
    },
    {
      name: 'contract-imports-zod-and-vocabulary',
      severity: 'error',
      from: { path: '^packages/contract/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^packages/(contract|vocabulary)/', 'node_modules/zod/'] },
    },
    {
      name: 'rules-are-pure',
      comment:
        'No input, output, clock or other workspace but the vocabulary; exact decimals and hashes of names are arithmetic.',
      severity: 'error',
      from: { path: '^packages/rules/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^packages/(rules|vocabulary)/', 'node_modules/(decimal\\.js|libphonenumber-js|uuid)/'] },
    },
    {
      name: 'packages-know-nothing-above',
      comment: 'Their tests may use the kit, which holds the whole house.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(domain|apps)/' },
    },
    {
      name: 'domain-knows-no-app',
      severity: 'error',
      from: { path: '^domain/' },
      to: { path: '^apps/' },
    },
    {
      name: 'stores-know-no-domain',
      severity: 'error',
      from: { path: '^packages/(postgres|clickhouse|stream|redis|vault|outbound|storage|work)/' },
      to: { path: '^packages/(providers|operations|http|pages|contract)/' },
    },
    {
      name: 'operations-know-no-carrier',
      comment: 'A call is the same over HTTP, MCP, the command line and in a test.',
      severity: 'error',
      from: { path: '^packages/operations/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^(apps|domain)/', '^packages/(http|telemetry|pages)/', 'node_modules/@?fastify/'] },
    },
    {
      name: 'domain-knows-no-framework-or-driver',
      comment: 'Of what carries and watches a call, a room knows the operation and the HTML of its pages.',
      severity: 'error',
      from: { path: '^domain/', pathNot: '\\.test\\.ts$' },
      to: {
        path: ['^packages/(http|telemetry)/', 'node_modules/(@?fastify|pg|ioredis|@nats-io|@clickhouse|undici)/'],
      },
    },
    {
      name: 'rooms-enter-by-index',
      severity: 'error',
      from: { path: '^domain/([^/]+)/', pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '^domain/[^/]+/', pathNot: ['^domain/$1/', '^domain/[^/]+/index\\.ts$'] },
    },
    {
      name: 'rooms-through-a-door',
      comment: "A room's tests may do what an app does.",
      severity: 'error',
      from: { path: '^domain/([^/]+)/' },
      to: { path: '^domain/[^/]+/', pathNot: ['^domain/$1/', '^domain/[^/]+/(index|room)\\.ts$'] },
    },
    {
      name: 'apps-enter-by-room',
      comment: 'Internet-facing processes import only the intake entry points of a module, so that they stay small.',
      severity: 'error',
      from: { path: '^(apps|tests/kit)/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^domain/[^/]+/',
        pathNot: ['^domain/[^/]+/room\\.ts$', '^domain/(ingestion|connections)/intake\\.ts$'],
      },
    },
    ...ranks(),
    {
      name: 'sdk-imports-contract-and-vocabulary',
      severity: 'error',
      from: { path: '^packages/sdk/', pathNot: ['\\.test\\.ts$', '^packages/sdk/(build|as-values)\\.ts$'] },
      to: { pathNot: ['^packages/(sdk|contract|vocabulary)/', 'node_modules/zod/'] },
    },
    {
      name: 'console-talks-through-the-sdk',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(domain|packages)/', pathNot: '^packages/(sdk|contract|vocabulary)/' },
    },
    {
      name: 'tracker-imports-nothing',
      severity: 'error',
      from: { path: '^packages/tracker/source/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^packages/tracker/source/' },
    },
    {
      name: 'production-knows-no-testkit',
      severity: 'error',
      from: {
        path: '^(apps|domain|packages)/',
        pathNot: '\\.(test|fixture)\\.tsx?$',
      },
      to: { path: '^(tests|bench)/' },
    },
    {
      name: 'production-knows-no-market',
      comment: 'Only the demo shows a market that nobody lives in.',
      severity: 'error',
      from: {
        path: '^(apps|domain|packages)/',
        pathNot: ['\\.test\\.tsx?$', '^packages/market/', '^apps/sandbox/', '^apps/cli/(demo/|commands/demo\\.ts$)'],
      },
      to: { path: '^packages/market/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    // The default parser reads nothing under TypeScript 7 and says that all is well.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.engines)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};

function ranks() {
  return rooms.slice(0, -1).map((room, index) => ({
    name: `rank-of-${room}`,
    severity: 'error',
    from: { path: `^domain/${room}/`, pathNot: '\\.(test|fixture)\\.ts$' },
    to: { path: `^domain/(${rooms.slice(index + 1).join('|')})/` },
  }));
}

/** A room that stands in no rank could import every other. */
function refuseUnranked() {
  const onDisk = readdirSync(join(__dirname, 'domain'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name);
  const unranked = onDisk.filter((room) => !rooms.includes(room));
  const gone = rooms.filter((room) => !onDisk.includes(room) && !coming.includes(room));
  if (unranked.length > 0)
    throw new Error(`domain/${unranked.join(', domain/')} has no rank in .dependency-cruiser.cjs.`);
  if (gone.length > 0) throw new Error(`.dependency-cruiser.cjs ranks ${gone.join(', ')}, which domain does not hold.`);
}
