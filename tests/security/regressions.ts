import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestReport } from '../../.ci/test-report.ts';
import type { TitledCall } from '../conformance/tests-in-source.ts';

/** A request that did harm once, and what sends it again. */
export interface Regression {
  readonly request: string;
  /** `file > title` as it stands in the source. */
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
      'domain/outcomes/event-limits.test.ts > with 250,000 properties is refused before it is parsed',
      'domain/outcomes/event-limits.test.ts > one event of 250,000 properties costs the other 999 of its request nothing',
      'packages/operations/costs.test.ts > returns 429 before the body is read when a key has used too much processor time',
    ],
    drills: ['neighbours'],
  },
  {
    request: 'hundreds of requests for openapi.json on many sockets, and for /readyz',
    tests: [
      'apps/api/api.test.ts > is made and compressed once, and sent from the same bytes each time',
      'packages/telemetry/readiness.test.ts > callers share one check for a second',
    ],
    drills: ['neighbours'],
  },
  {
    request: 'keys rotate envelope and keys rewrap-rows at once, while processes run',
    tests: [
      'packages/vault/key-store.test.ts > a new key is used once it has settled; a process that has not loaded it yet loads it at once',
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
    request: 'a search with a key that a removed admin had created',
    tests: [
      'domain/accounts/created-by-member.test.ts > with revoke_created what the member created stops working, and nothing else',
      'domain/accounts/created-by-member.test.ts > keys, links, reports by e-mail and invitations name their creator, also after they left',
    ],
  },
  {
    request: 'DELETE /workspaces/{id} with nothing but a session',
    tests: [
      'domain/tenants/restore-workspace.test.ts > 400: a session without the password deletes neither a workspace nor a profile',
      'domain/tenants/restore-workspace.test.ts > a deleted workspace opens nothing for seven days, and is as before once it is restored',
    ],
  },
  {
    request: 'PUT /profile/privacy with standard, by an admin',
    tests: [
      'domain/credentials/healthcare.test.ts > owner and admin make it more private, only an owner less; nobody else does',
    ],
    drills: ['privacy-switch'],
  },
  {
    request: 'events and visits at a process whose clock is wrong',
    tests: [
      'packages/clock/ledger-clock.test.ts > a step of the machine’s clock between two readings does not change the time',
      'apps/api/away.test.ts > with a clock that is %d ms off, /readyz is %d %s',
    ],
    drills: ['clock'],
  },
  {
    request: 'docker compose up with the passwords that the example prints',
    tests: ['tests/deploy.test.ts > the printed list of passwords has every required variable'],
  },
  {
    request: 'a connection from the collector’s container to ClickHouse',
    tests: [
      'tests/deploy.test.ts > the collector has no key that opens anything, and no way to ClickHouse',
      'tests/kubernetes.test.ts > every Deployment has a network policy whose ports exist, and the collector cannot reach ClickHouse',
    ],
  },
  {
    request: 'webhook URLs that name internal hosts, to learn which of them exist',
    tests: [
      'packages/outbound/index.test.ts > rejects an unresolvable name with the same error as an internal address',
    ],
  },
  {
    request: 'the first-account page with its token in the query',
    tests: [
      'apps/api/console.test.ts > while nobody has an account every page leads to the one that makes the first, with a token from the log, once',
    ],
  },
  {
    request: 'a key without named scopes that reads people or changes ads',
    tests: [
      'domain/credentials/operator.test.ts > a member’s key reads people and changes ads only if that is named, and people only with the password',
    ],
  },
  {
    request: '10,000 registrations of assistants from 2,000 addresses',
    tests: [
      'domain/accounts/registration.test.ts > %s registers few assistants an hour',
      'domain/accounts/registration.test.ts > there are only so many that nobody has allowed anything',
    ],
  },
  {
    request: 'tools/list of /mcp?changes=allowed with a default key',
    tests: [
      'tests/security/tools.test.ts > whatever the address says, a key made without scopes and a token of an assistant change no ads and name nobody',
      'domain/accounts/oauth.test.ts > [auth-003] speaks for the profile that was chosen, and reads by default',
    ],
  },
  {
    request: 'an identify with a signature that was copied from a page',
    tests: [
      'domain/ingestion/signed-identify.test.ts > is signed, or not, with a signature %s',
      'domain/ingestion/signed-identify.test.ts > is not signed by a signature whose second was changed',
    ],
  },
  {
    request: 'any request, to see which headers its answer lacks',
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

/** Tests and drills that are named and do not exist. */
export function missingOf(root: string, calls: readonly TitledCall[], named = regressions): string[] {
  const titles = new Set(calls.map(({ file, title }) => `${file} > ${title}`));
  return named.flatMap(({ request, tests, drills = [] }) => [
    ...tests.filter((test) => !titles.has(test)).map((test) => `${request}: there is no test ${test}`),
    ...drills
      .filter((name) => !existsSync(join(root, `tests/chaos/${name}.drill.ts`)))
      .map((name) => `${request}: there is no drill ${name}`),
  ]);
}

/** Tests that a run did not show: they failed, were skipped, or did not run. */
export function unshownBy(report: TestReport, named = regressions): string[] {
  return named.flatMap(({ request, tests }) =>
    tests.flatMap((test) => {
      const { file, title } = partsOf(test);
      const found = report.testResults
        .filter(({ name }) => name.endsWith(`/${file}`))
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ fullName }) => patternOf(title).test(fullName));
      const isShown = found.length > 0 && found.every(({ status }) => status === 'passed');
      return isShown ? [] : [`${request}: not shown by ${test}`];
    }),
  );
}

/** Rows of a table of cases stand in the places of `%s` and `$field`. */
const patternOf = (title: string) =>
  new RegExp(
    `${title
      .split(/%[a-z]|\$\w+/)
      .map(RegExp.escape)
      .join('.*')}$`,
  );
