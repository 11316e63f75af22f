import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestReport } from '../../.ci/test-report.ts';
import type { TitledCall } from '../conformance/tests-in-source.ts';

/** An attack or mistake that was fixed, and the tests that repeat it. */
export interface Regression {
  readonly request: string;
  /** `file > title`, exactly as in the source. */
  readonly tests: readonly `${string}.test.ts > ${string}`[];
  readonly drills?: readonly string[];
}

export const regressions: readonly Regression[] = [
  {
    request: 'a correctly signed provider webhook over 64 KiB',
    tests: [
      'domain/advertising/connections/integrations/integrations.test.ts > records signed store webhooks once and ignores duplicates, forged webhooks and tests',
      'domain/advertising/connections/routes.test.ts > the rate limit of provider webhooks is higher than that of pages',
    ],
  },
  {
    request: 'one event with 250,000 properties, four at once or one a second',
    tests: [
      'domain/commerce/outcomes/event-limits.test.ts > with 250,000 properties is rejected before it is parsed',
      'domain/commerce/outcomes/event-limits.test.ts > one event with 250,000 properties does not affect the other 999 of its batch',
      'packages/operations/costs.test.ts > returns 429 before the body is read when a key has used too much processor time',
    ],
    drills: ['neighbours'],
  },
  {
    request: 'hundreds of requests for openapi.json on many sockets, and for /readyz',
    tests: [
      'apps/api/api.test.ts > is generated and compressed once, and sent from the same buffer',
      'packages/telemetry/readiness.test.ts > callers share one check for a second',
    ],
    drills: ['neighbours'],
  },
  {
    request: 'keys rotate envelope, followed at once by keys rewrap-rows, while processes run',
    tests: [
      'packages/vault/key-store.test.ts > a new key is used once it has settled, and a process without it loads it at once',
    ],
    drills: ['rotate'],
  },
  {
    request: 'GET /top-performers, also with window=lifetime, with a link of one week in January',
    tests: [
      'domain/measurement/top-performers/list-top-performers.test.ts > A shared link returns scores only while all days of their window are within its own range',
      'domain/tenancy/credentials/authenticate.test.ts > cannot be valid for more than a year',
      'tests/security/shared.test.ts > %s',
    ],
  },
  {
    request: 'a search with a key created by a removed admin',
    tests: [
      'domain/tenancy/accounts/created-by-member.test.ts > revoke_created revokes what the member created and nothing else',
      'domain/tenancy/accounts/created-by-member.test.ts > keys, links, report subscriptions and invitations name their creator, even after the creator left',
    ],
  },
  {
    request: 'DELETE /workspaces/{id} with only a session cookie',
    tests: [
      'domain/tenancy/tenants/restore-workspace.test.ts > 400: a session cannot delete a workspace or profile without the password',
      'domain/tenancy/tenants/restore-workspace.test.ts > a deleted workspace is inaccessible for seven days and unchanged once restored',
    ],
  },
  {
    request: 'PUT /profile/privacy to standard, by an admin',
    tests: [
      'domain/tenancy/credentials/healthcare.test.ts > owners and admins can raise the privacy mode, and only owners can lower it',
    ],
    drills: ['privacy-switch'],
  },
  {
    request: 'events and visits sent to a process with clock skew',
    tests: [
      'packages/clock/ledger-clock.test.ts > a step of the machine’s clock between two syncs does not change the time',
      'apps/api/unavailable.test.ts > with a clock skew of %d ms, /readyz returns %d %s',
    ],
    drills: ['clock'],
  },
  {
    request: 'docker compose up with the passwords generated as in the example',
    tests: ['tests/compose.test.ts > the command that generates passwords includes every required variable'],
  },
  {
    request: 'a connection from the collector container to ClickHouse',
    tests: [
      'tests/compose.test.ts > the collector gets no encryption keys and no ClickHouse settings',
      'tests/kubernetes.test.ts > every Deployment has a network policy with its ports, and internet-facing pods cannot reach ClickHouse',
    ],
  },
  {
    request: 'webhook URLs with internal host names, to find out which exist',
    tests: [
      'packages/outbound/index.test.ts > a name without addresses is refused with the same message as one with an internal address',
    ],
  },
  {
    request: 'the first-account page with its token in the query string',
    tests: [
      'apps/api/console.test.ts > without an account, every page redirects to the first-account page, whose token works once',
    ],
  },
  {
    request: 'a key with default scopes that reads personal data or changes ads',
    tests: [
      'domain/tenancy/credentials/operator.test.ts > a member’s key needs explicit scopes to read personal data or change ads, and the password for personal data',
    ],
  },
  {
    request: '10,000 registrations of assistants from 2,000 addresses',
    tests: [
      'domain/tenancy/accounts/registration.test.ts > limits the registrations per hour of %s',
      'domain/tenancy/accounts/registration.test.ts > limits the clients without consent, and deletes the oldest at the limit',
    ],
  },
  {
    request: 'tools/list of /mcp?changes=allowed with a default key',
    tests: [
      'tests/security/tools.test.ts > with ?changes=allowed, default keys and assistant tokens still get no tools that change ads or show personal data',
      'domain/tenancy/accounts/oauth-tokens.test.ts > [auth-003] is bound to the selected profile and has mcp:read by default',
    ],
  },
  {
    request: 'an identify replayed with a signature copied from a page',
    tests: [
      'domain/traffic/ingestion/signed-identify.test.ts > with a signature %s, reports is_signed accordingly',
      'domain/traffic/ingestion/signed-identify.test.ts > is not signed if the timestamp of the signature was changed',
    ],
  },
  {
    request: 'any request, to find missing security headers',
    tests: ['tests/security/headers.test.ts > $method $path'],
  },
  {
    request: 'names with line breaks',
    tests: ['packages/contract/names.test.ts > $id rejects control characters in $field'],
  },
  {
    request: '250 reconciliations by one key',
    tests: [
      'domain/measurement/reconciliation/reconciliation.test.ts > returns 409 when the queue of on-demand reconciliations is full; nightly ones and other profiles do not count',
    ],
  },
];

const partsOf = (test: string) => {
  const at = test.indexOf(' > ');
  return { file: test.slice(0, at), title: test.slice(at + 3) };
};

/** Named tests and drills that do not exist. */
export function missingOf(root: string, calls: readonly TitledCall[], named = regressions): string[] {
  const titles = new Set(calls.map(({ file, title }) => `${file} > ${title}`));
  return named.flatMap(({ request, tests, drills = [] }) => [
    ...tests.filter((test) => !titles.has(test)).map((test) => `${request}: there is no test ${test}`),
    ...drills
      .filter((name) => !existsSync(join(root, `tests/chaos/${name}.drill.ts`)))
      .map((name) => `${request}: there is no drill ${name}`),
  ]);
}

/** Named tests that failed, were skipped or did not run. */
export function failedIn(report: TestReport, named = regressions): string[] {
  return named.flatMap(({ request, tests }) =>
    tests.flatMap((test) => {
      const { file, title } = partsOf(test);
      const found = report.testResults
        .filter(({ name }) => name.endsWith(`/${file}`))
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ fullName }) => patternOf(title).test(fullName));
      const hasPassed = found.length > 0 && found.every(({ status }) => status === 'passed');
      return hasPassed ? [] : [`${request}: not passed: ${test}`];
    }),
  );
}

/** Matches titles of `test.each` rows: placeholders such as `%s` and `$field` match any text. */
const patternOf = (title: string) =>
  new RegExp(
    `${title
      .split(/%[a-z]|\$\w+/)
      .map(RegExp.escape)
      .join('.*')}$`,
  );
