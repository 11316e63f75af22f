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
      'domain/connections/integrations/integrations.test.ts > a store’s own webhooks are money in the ledger, once, whatever is sent twice, forged or only a test',
      'domain/connections/routes.test.ts > a provider may send more webhooks a minute than a browser may open pages',
    ],
  },
  {
    request: 'one event with 250,000 properties, four at once or one a second',
    tests: [
      'domain/outcomes/event-limits.test.ts > with 250,000 properties is rejected before it is parsed',
      'domain/outcomes/event-limits.test.ts > one event with 250,000 properties does not affect the other 999 of its batch',
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
      'packages/vault/key-store.test.ts > a new key is used once it has settled, and a process that meets an unknown key reloads the keys',
    ],
    drills: ['rotate'],
  },
  {
    request: 'GET /top-performers, also with window=lifetime, with a link of one week in January',
    tests: [
      'domain/top-performers/list-top-performers.test.ts > A shared link shows scores only while all days of their window are its own',
      'domain/credentials/authenticate.test.ts > works for at most a year',
      'tests/security/shared.test.ts > %s',
    ],
  },
  {
    request: 'a search with a key created by a removed admin',
    tests: [
      'domain/accounts/created-by-member.test.ts > with revoke_created what the member created stops working, and nothing else',
      'domain/accounts/created-by-member.test.ts > keys, links, reports by e-mail and invitations name their creator, also after they left',
    ],
  },
  {
    request: 'DELETE /workspaces/{id} with only a session cookie',
    tests: [
      'domain/tenants/restore-workspace.test.ts > 400: a session without the password deletes neither a workspace nor a profile',
      'domain/tenants/restore-workspace.test.ts > a deleted workspace opens nothing for seven days, and is as before once it is restored',
    ],
  },
  {
    request: 'PUT /profile/privacy to standard, by an admin',
    tests: [
      'domain/credentials/healthcare.test.ts > owner and admin make it more private, only an owner less; nobody else does',
    ],
    drills: ['privacy-switch'],
  },
  {
    request: 'events and visits sent to a process with clock skew',
    tests: [
      'packages/clock/ledger-clock.test.ts > a step of the machine’s clock between two readings does not change the time',
      'apps/api/away.test.ts > with a clock skew of %d ms, /readyz returns %d %s',
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
      'tests/kubernetes.test.ts > every Deployment has a network policy whose ports exist, and the collector cannot reach ClickHouse',
    ],
  },
  {
    request: 'webhook URLs with internal host names, to find out which exist',
    tests: [
      'packages/outbound/index.test.ts > rejects an unresolvable name with the same error as an internal address',
    ],
  },
  {
    request: 'the first-account page with its token in the query string',
    tests: [
      'apps/api/console.test.ts > while nobody has an account every page leads to the one that makes the first, with a token from the log, once',
    ],
  },
  {
    request: 'a key with default scopes that reads personal data or changes ads',
    tests: [
      'domain/credentials/operator.test.ts > a member’s key reads people and changes ads only if that is named, and people only with the password',
    ],
  },
  {
    request: '10,000 registrations of assistants from 2,000 addresses',
    tests: [
      'domain/accounts/registration.test.ts > %s registers few assistants an hour',
      'domain/accounts/registration.test.ts > limits the clients without consent, and deletes the oldest at the limit',
    ],
  },
  {
    request: 'tools/list of /mcp?changes=allowed with a default key',
    tests: [
      'tests/security/tools.test.ts > with ?changes=allowed, default keys and assistant tokens still get no tools that change ads or show personal data',
      'domain/accounts/oauth-tokens.test.ts > [auth-003] speaks for the profile that was chosen, and reads by default',
    ],
  },
  {
    request: 'an identify replayed with a signature copied from a page',
    tests: [
      'domain/ingestion/signed-identify.test.ts > with a signature %s, reports is_signed accordingly',
      'domain/ingestion/signed-identify.test.ts > is not signed if the timestamp of the signature was changed',
    ],
  },
  {
    request: 'any request, to find missing security headers',
    tests: ['tests/security/headers.test.ts > $method $path'],
  },
  {
    request: 'names with line breaks',
    tests: ['packages/contract/names.test.ts > $id refuses control characters in $field'],
  },
  {
    request: '250 reconciliations by one key',
    tests: [
      'domain/reconciliation/reconciliation.test.ts > 409: only so many requested reconciliations of a profile wait; nightly ones and other profiles do not count',
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
