import { expect, test } from 'vitest';
import { loadSettings, WrongSettings } from './index.ts';

test('an empty environment gives the settings of a developer machine', () => {
  const settings = loadSettings({});
  expect(settings.port).toBe(4000);
  expect(settings.clickhouseCluster).toBeUndefined();
  expect(settings.corsOrigins).toEqual([]);
});

test('reports every invalid setting at once, with its allowed values', () => {
  const load = () => loadSettings({ PORT: '70000', LOG_LEVEL: 'loud', BASE_URL: 'tributary' });
  expect(load).toThrow(WrongSettings);
  expect(load).toThrow(/PORT must be from 0 to 65535 \(it is "70000"\)/);
  expect(load).toThrow(/LOG_LEVEL must be one of debug, info, warn, error, silent/);
  expect(load).toThrow(/BASE_URL must be an address that starts with http:\/\/ or https:\/\//);
});

test('an error never contains a secret', () => {
  expect(() => loadSettings({ DATABASE_APP_URL: 'mysql://u:hunter2@host/db' })).toThrow(/^(?!.*hunter2)/s);
  expect(() => loadSettings({ ENCRYPTION_KEYS: 'k1:c2hvcnQ=' })).toThrow(/ENCRYPTION_KEYS must be keys written as/);
});

test('a key ring keeps its order, newest first', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const settings = loadSettings({ ENCRYPTION_KEYS: `new:${key}, old:${key}` });
  expect(settings.encryptionKeys?.map(({ id }) => id)).toEqual(['new', 'old']);
});

test('PostgreSQL and NATS accept several servers', () => {
  const settings = loadSettings({
    DATABASE_APP_URL: 'postgres://app:x@one:5432,two:5433/tributary',
    NATS_URL: 'nats://u:p@one:4222,nats://two:4222',
    STREAM_REPLICAS: '3',
  });
  expect(settings.streamReplicas).toBe(3);
  for (const wrong of [
    'postgres://app@one,:5/db',
    'postgres://',
    'mysql://app@one,two/db',
    'postgres://app@one:x,two/db',
  ])
    expect(() => loadSettings({ DATABASE_APP_URL: wrong }), wrong).toThrow(/DATABASE_APP_URL must be an address/);
  expect(loadSettings({ NATS_URL: 'nats://u:p@one:4222,two:4222' }).natsUrl).toContain('two');
  expect(() => loadSettings({ NATS_URL: 'nats://one,http://two' })).toThrow(/NATS_URL must be an address/);
  expect(() => loadSettings({ STREAM_REPLICAS: '2' })).toThrow(/STREAM_REPLICAS must be one of 1, 3, 5/);
});

test('LEDGER_SHARDS accepts several servers, each with a name', () => {
  const { ledgerShards } = loadSettings({ LEDGER_SHARDS: 'east=10.0.0.7:5432/tributary  west=one:1,two:2/db' });
  expect([...ledgerShards]).toEqual([
    ['east', '10.0.0.7:5432/tributary'],
    ['west', 'one:1,two:2/db'],
  ]);
  for (const wrong of ['east', 'home=a:1/db', 'east=a/db east=b/db', 'East=a/db', 'east=u:p@a/db'])
    expect(() => loadSettings({ LEDGER_SHARDS: wrong }), wrong).toThrow(/LEDGER_SHARDS must be names and servers/);
});
