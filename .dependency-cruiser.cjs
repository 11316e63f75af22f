/** Import directions. Each is an error: the layout is a promise to the reader, not a wish. */
const rooms = '^domain/([^/]+)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: '^packages/contract/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^packages/contract/', 'node_modules/zod/'] },
    },
    {
      name: 'rules-are-pure',
      comment: 'No input, output, clock or workspace; exact decimals and hashes of names are arithmetic.',
      severity: 'error',
      from: { path: '^packages/rules/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: ['^packages/rules/', 'node_modules/(decimal\\.js|libphonenumber-js|uuid)/'] },
    },
    {
      name: 'stores-know-no-domain',
      severity: 'error',
      from: { path: '^packages/(postgres|clickhouse|stream|redis|vault|outbound|jobs)/' },
      to: { path: '^(domain|apps|packages/(providers|operations|http|pages|contract))/' },
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
        path: [
          '^apps/',
          '^packages/(http|telemetry)/',
          'node_modules/(@?fastify|pg|ioredis|@nats-io|@clickhouse|undici)/',
        ],
      },
    },
    {
      name: 'rooms-through-their-door',
      severity: 'error',
      from: { path: rooms },
      to: { path: '^domain/[^/]+/', pathNot: ['^domain/$1/', '^domain/[^/]+/index\\.ts$'] },
    },
    ...ranks(),
    {
      name: 'sdk-imports-the-contract-only',
      severity: 'error',
      from: { path: '^packages/sdk/', pathNot: ['\\.test\\.ts$', '^packages/sdk/(build|as-values)\\.ts$'] },
      to: { pathNot: ['^packages/(sdk|contract)/', 'node_modules/zod/'] },
    },
    {
      name: 'console-talks-through-the-sdk',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(domain|packages)/', pathNot: '^packages/(sdk|contract)/' },
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
        pathNot: ['\\.(test|fixture)\\.tsx?$', '^packages/sandbox/'],
      },
      to: { path: '^(tests|bench)/' },
    },
    {
      name: 'production-knows-no-sandbox',
      comment: 'Only the demo shows a market that nobody lives in.',
      severity: 'error',
      from: {
        path: '^(apps|domain|packages)/',
        pathNot: ['\\.test\\.tsx?$', '^packages/sandbox/', '^apps/cli/commands/demo\\.ts$'],
      },
      to: { path: '^packages/sandbox/' },
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

/** A room imports only those below it; what must happen above goes through the outbox or dirty rows. */
function ranks() {
  const order = [
    'access',
    'customers',
    'link-tokens',
    'conversions',
    'ingestion',
    'attribution',
    'campaigns',
    'reports',
    'top-performers',
    'journeys',
    'erasures',
  ];
  return order.slice(0, -1).map((room, index) => ({
    name: `rank-of-${room}`,
    severity: 'error',
    from: { path: `^domain/${room}/`, pathNot: '\\.test\\.ts$' },
    to: { path: `^domain/(${order.slice(index + 1).join('|')})/` },
  }));
}
