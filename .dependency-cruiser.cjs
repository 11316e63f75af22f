/** Import directions. Every violation is an error. */
const { readdirSync } = require('node:fs');
const { join, relative } = require('node:path');

/**
 * The modules by group, lowest first: a module imports only modules above it in this list. What a lower module triggers in a higher one goes
 * through the outbox, a queue or a job.
 */
const groups = require('./domain/groups.json');
const modules = Object.entries(groups).flatMap(([group, names]) => names.map((name) => `${group}/${name}`));
refuseUnlisted();

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'vocabulary-imports-nothing',
      comment: 'Everything may import it: the contract, the rules, every module, the SDK and browser code.',
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
      name: 'packages-import-no-domain-or-app',
      comment: 'Their tests may use the test kit, which imports everything.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(domain|apps)/' },
    },
    {
      name: 'domain-imports-no-app',
      severity: 'error',
      from: { path: '^domain/' },
      to: { path: '^apps/' },
    },
    {
      name: 'stores-import-no-operations',
      severity: 'error',
      from: { path: '^packages/(postgres|clickhouse|stream|redis|vault|outbound|storage|work)/' },
      to: { path: '^packages/(providers|operations|http|pages|contract)/' },
    },
    {
      name: 'operations-import-no-transport',
      comment: 'A call is the same over HTTP, MCP, the command line and in a test.',
      severity: 'error',
      from: { path: '^packages/operations/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^(apps|domain)/', '^packages/(http|telemetry|pages)/', 'node_modules/@?fastify/'] },
    },
    {
      name: 'domain-imports-no-framework-or-driver',
      comment: 'A module uses operations and the HTML of its pages, but neither HTTP nor telemetry.',
      severity: 'error',
      from: { path: '^domain/', pathNot: '\\.test\\.ts$' },
      to: {
        path: ['^packages/(http|telemetry)/', 'node_modules/(@?fastify|pg|ioredis|@nats-io|@clickhouse|undici)/'],
      },
    },
    {
      name: 'modules-import-index',
      severity: 'error',
      from: { path: '^domain/([^/]+/[^/]+)/', pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '^domain/[^/]+/[^/]+/', pathNot: ['^domain/$1/', '^domain/[^/]+/[^/]+/index\\.ts$'] },
    },
    {
      name: 'module-tests-import-entry-points',
      comment: "A module's tests may import what an app may import.",
      severity: 'error',
      from: { path: '^domain/([^/]+/[^/]+)/' },
      to: { path: '^domain/[^/]+/[^/]+/', pathNot: ['^domain/$1/', '^domain/[^/]+/[^/]+/(index|module)\\.ts$'] },
    },
    {
      name: 'apps-import-module',
      comment: 'Internet-facing processes import only the intake entry points of a module, so that they stay small.',
      severity: 'error',
      from: { path: '^(apps|tests/kit)/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^domain/[^/]+/[^/]+/',
        pathNot: [
          '^domain/[^/]+/[^/]+/module\\.ts$',
          '^domain/(traffic/ingestion|advertising/connections)/intake\\.ts$',
        ],
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
      name: 'console-imports-only-the-sdk',
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
      name: 'production-imports-no-tests',
      severity: 'error',
      from: {
        path: '^(apps|domain|packages)/',
        pathNot: '\\.(test|fixture)\\.tsx?$',
      },
      to: { path: '^(tests|bench)/' },
    },
    {
      name: 'production-imports-no-market',
      comment: 'Only the demo and the sandbox simulate a market.',
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
    // The default parser reads nothing under TypeScript 7 and reports no error.
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
  return modules.slice(0, -1).map((module, index) => ({
    name: `rank-of-${module.replace('/', '-')}`,
    severity: 'error',
    from: { path: `^domain/${module}/`, pathNot: '\\.(test|fixture)\\.ts$' },
    to: { path: `^domain/(${modules.slice(index + 1).join('|')})/` },
  }));
}

/** No rule would apply to a module that is missing from the list. */
function refuseUnlisted() {
  const onDisk = readdirSync(join(__dirname, 'domain'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'module.ts')
    .map(({ parentPath }) => relative(join(__dirname, 'domain'), parentPath));
  const unlisted = onDisk.filter((module) => !modules.includes(module));
  const missing = modules.filter((module) => !onDisk.includes(module));
  if (unlisted.length > 0)
    throw new Error(`.dependency-cruiser.cjs does not list domain/${unlisted.join(', domain/')}.`);
  if (missing.length > 0) throw new Error(`.dependency-cruiser.cjs lists ${missing.join(', ')}, which do not exist.`);
}
