import { z } from 'zod';
import { backups, storage } from './backups.ts';
import { ledger } from './ledger.ts';
import { exchangeRates, mail, summaries } from './outside.ts';
import { providers } from './providers.ts';
import {
  address,
  keyRing,
  list,
  oneOf,
  optional,
  type Setting,
  setting,
  type Value,
  wholeNumber,
  yesOrNo,
} from './setting.ts';
import { visitsLog } from './visits-log.ts';

const whereItAnswers = {
  baseUrl: setting('BASE_URL', address('http:', 'https:'), 'The public address of this deployment.', {
    fallback: 'http://127.0.0.1:4000',
  }),
  apiUrl: optional(
    'API_URL',
    address('http:', 'https:'),
    'The alternate API host. The same server answers for both; leave it out when there is only one.',
  ),
  host: setting('HOST', z.string().min(1), 'The address the API listens on.', { fallback: '127.0.0.1' }),
  port: setting('PORT', wholeNumber(0, 65_535), 'The port the API listens on.', { fallback: '4000' }),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    list,
    'Addresses or networks (CIDR) of the proxies in front, whose X-Forwarded-For is believed. Empty: nobody is.',
    { fallback: '' },
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    list,
    'Origins whose pages may call the API from a browser. Empty: none but the deployment itself.',
    { fallback: '' },
  ),
  dnsServers: setting(
    'DNS_SERVERS',
    list,
    'Name servers that are asked about domains of customers, as address or address:port. Empty: those of the machine.',
    { fallback: '' },
  ),
  webhookLocalHosts: setting(
    'WEBHOOK_LOCAL_HOSTS',
    list,
    'Hosts, like localhost, that webhooks may go to though they are not public, also over plain HTTP and at any port. For development, and for nothing else.',
    { fallback: '' },
  ),
  tlsCertificateFile: optional(
    'TLS_CERTIFICATE_FILE',
    z.string().min(1),
    'PEM certificate, when the API itself speaks TLS.',
  ),
  tlsKeyFile: optional('TLS_KEY_FILE', z.string().min(1), 'PEM key of that certificate.'),
};

const theCollector = {
  collectorUrl: setting(
    'COLLECTOR_URL',
    address('http:', 'https:'),
    'The public address of the collector, where browsers fetch the tracker and send visits. Domains of customers become aliases (CNAME) of its host.',
    { fallback: 'http://127.0.0.1:4100' },
  ),
  collectorPort: setting('COLLECTOR_PORT', wholeNumber(0, 65_535), 'The port the collector listens on, at HOST.', {
    fallback: '4100',
  }),
  collectorMetricsPort: optional(
    'COLLECTOR_METRICS_PORT',
    wholeNumber(0, 65_535),
    "Port for Prometheus, at /metrics on HOST, of the collector's own figures. Unset: none is opened.",
  ),
  collectorRequestsPerMinute: setting(
    'COLLECTOR_REQUESTS_PER_MINUTE',
    wholeNumber(1, 100_000_000),
    'Requests that the collector takes from one address. An office behind one address shares it.',
    { fallback: '3000' },
  ),
  collectorAddressShare: setting(
    'COLLECTOR_ADDRESS_SHARE',
    wholeNumber(1, 100),
    "Percent of a profile's visits of a day that one address may send. The tracking key is public: whoever copies it must not use up the day. Raise it where visits come through a proxy that TRUSTED_PROXIES does not name.",
    { fallback: '20' },
  ),
  badVisitDays: setting(
    'BAD_VISIT_DAYS',
    wholeNumber(1, 3_650),
    'How long a visit that could not be understood waits for a replay.',
    { fallback: '30' },
  ),
  badVisitMegabytesPerDay: setting(
    'BAD_VISIT_MEGABYTES_PER_DAY',
    wholeNumber(1, 2_000),
    'How much of such visits is kept of one profile and day. Past it they are counted by their reason, and nothing of them is kept.',
    { fallback: '50' },
  ),
  visitsRetentionDays: optional(
    'VISITS_RETENTION_DAYS',
    wholeNumber(90, 36_500),
    'How long every page that was seen is kept; older quarters are dropped as a whole. Touches, credits and reports stay as they are. Unset: as long as the profile.',
  ),
  geoDatabaseFile: optional(
    'GEO_DATABASE_FILE',
    z.string().min(1),
    'A MaxMind-format file (.mmdb) that says where an address is; one with cities gives cities. Unset: a bundled one that knows countries only.',
  ),
};

const providerWebhooks = {
  providerWebhooksPort: setting(
    'PROVIDER_WEBHOOKS_PORT',
    wholeNumber(0, 65_535),
    'Port of the provider-webhooks process, at HOST. Your proxy routes /hooks/ of BASE_URL to it.',
    { fallback: '4200' },
  ),
  providerWebhooksMetricsPort: optional(
    'PROVIDER_WEBHOOKS_METRICS_PORT',
    wholeNumber(0, 65_535),
    'Port of its Prometheus metrics, at /metrics on HOST. Unset: metrics are not served.',
  ),
};

const theFourEngines = {
  ...ledger,
  clickhouseUrl: setting(
    'CLICKHOUSE_URL',
    address('http:', 'https:'),
    'ClickHouse over HTTP. Each process may have a user of its own: the API reads, the worker writes, migrations own the tables.',
    {
      fallback: 'http://127.0.0.1:18123',
      secret: true,
    },
  ),
  clickhouseDatabase: setting('CLICKHOUSE_DATABASE', z.string().regex(/^\w+$/), 'Its database.', {
    fallback: 'tributary',
  }),
  clickhouseCluster: optional(
    'CLICKHOUSE_CLUSTER',
    z.string().regex(/^\w+$/),
    'Name of the ClickHouse cluster whose shards share the tables. Leave it out for a single node.',
  ),
  clickhouseNodes: setting(
    'CLICKHOUSE_NODES',
    list,
    'HTTP addresses of all nodes of the cluster, separated by commas: tables are created on each of them.',
    { fallback: '' },
  ),
  clickhouseReplicated: setting(
    'CLICKHOUSE_REPLICATED',
    yesOrNo,
    'Whether the tables of a cluster are replicated (needs ClickHouse Keeper).',
    { fallback: 'false' },
  ),
  ...visitsLog,
  redisUrl: setting('REDIS_URL', address('redis:', 'rediss:'), 'Redis or Valkey.', {
    fallback: 'redis://127.0.0.1:16379',
    secret: true,
  }),
  redisPrefix: setting('REDIS_PREFIX', z.string().min(1), 'First word of our keys in Redis.', {
    fallback: 'tributary',
  }),
};

const secretsAtRest = {
  encryptionKeys: optional(
    'ENCRYPTION_KEYS',
    keyRing,
    'Keys that wrap every secret kept in PostgreSQL: id:base64 of 32 bytes, newest first, separated by commas. "openssl rand -base64 32" makes one.',
    { secret: true },
  ),
};

const people = {
  linkTokens: setting(
    'LINK_TOKENS',
    yesOrNo,
    'Whether tokens for links are minted and opened. False: minting answers link_tokens_disabled, and a token in a link is ignored.',
    { fallback: 'true' },
  ),
  ...backups,
  ...storage,
  passwordMinLength: setting('PASSWORD_MIN_LENGTH', wholeNumber(8, 128), 'The fewest characters a new password has.', {
    fallback: '10',
  }),
  swapWindowUntil: optional(
    'SWAP_WINDOW_UNTIL',
    z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
    'Until this moment (ISO 8601), keys minted under an older attribution_write grant may still connect providers. Leave it out when every app has asked for the connections grant.',
  ),
  sessionDays: setting(
    'SESSION_DAYS',
    wholeNumber(1, 90),
    'Lifetime of a session in days, and of the access that a member grants to an assistant (7 days at most).',
    { fallback: '14' },
  ),
  sessionIdleMinutes: setting(
    'SESSION_IDLE_MINUTES',
    wholeNumber(5, 129_600),
    'How long somebody who does nothing stays signed in to the console. Assistants that they allowed stay connected.',
    { fallback: '1440' },
  ),
  secureCookies: setting(
    'SECURE_COOKIES',
    yesOrNo,
    'Whether the session cookie is sent over HTTPS only. False is for plain HTTP on your own machine, and for nothing else.',
    { fallback: 'true' },
  ),
};

const runningIt = {
  metricsPort: optional(
    'METRICS_PORT',
    wholeNumber(0, 65_535),
    'Port for Prometheus, at /metrics on HOST. Unset: none is opened.',
  ),
  workerMetricsPort: optional(
    'WORKER_METRICS_PORT',
    wholeNumber(0, 65_535),
    'Port for Prometheus, at /metrics on HOST, of what waits for the workers and of what failed in this one. Unset: none is opened.',
  ),
  logLevel: setting('LOG_LEVEL', oneOf(['debug', 'info', 'warn', 'error', 'silent']), 'How much is logged.', {
    fallback: 'info',
  }),
  requestTimeoutMs: setting('REQUEST_TIMEOUT_MS', wholeNumber(100, 600_000), 'How long one request may take.', {
    fallback: '30000',
  }),
  shutdownDelayMs: setting(
    'SHUTDOWN_DELAY_MS',
    wholeNumber(0, 60_000),
    'How long an API or collector that was asked to stop still answers new requests, while /readyz says 503: time for a load balancer to send them elsewhere.',
    { fallback: '2000' },
  ),
  shutdownTimeoutMs: setting(
    'SHUTDOWN_TIMEOUT_MS',
    wholeNumber(0, 600_000),
    'How long a process that was asked to stop may finish what it has begun.',
    { fallback: '20000' },
  ),
  testClock: setting(
    'TEST_CLOCK',
    yesOrNo,
    'Whether the clock of all processes can be advanced at /test/clock, for `tributary conformance`. Anybody who reaches the API can do it, so set it on a disposable installation only. Refused when NODE_ENV is production.',
    { fallback: 'false' },
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    address('http:', 'https:'),
    'Where OpenTelemetry traces go. Unset: no traces.',
  ),
};

/** All settings, in the order of the generated page. */
export const groups: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  'Where it answers': whereItAnswers,
  'The collector': theCollector,
  'Provider webhooks': providerWebhooks,
  'The four engines': theFourEngines,
  'Secrets at rest': secretsAtRest,
  People: people,
  'Exchange rates': exchangeRates,
  Mail: mail,
  'Summaries of journeys': summaries,
  Providers: providers,
  'Running it': runningIt,
};

type All = typeof whereItAnswers &
  typeof theFourEngines &
  typeof secretsAtRest &
  typeof people &
  typeof exchangeRates &
  typeof mail &
  typeof summaries &
  typeof providers &
  typeof theCollector &
  typeof providerWebhooks &
  typeof runningIt;
/** The values of all settings. A setting without a default is undefined unless it is set. */
export type Settings = { readonly [K in keyof All]: Value<All[K]> };
