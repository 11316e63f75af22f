import { expect, test } from 'vitest';
import { StreamUnreachable } from './errors.ts';
import { connectionOptions } from './link.ts';
import { connectStream } from './stream.ts';

test('an address can contain credentials, several servers and TLS', () => {
  expect(connectionOptions('nats://ann:s%40fe@one:4222, nats://two')).toMatchObject({
    servers: ['one:4222', 'two:4222'],
    user: 'ann',
    pass: 's@fe',
  });
  expect(connectionOptions('nats://ann:x@one:4222,two:4223').servers).toEqual(['one:4222', 'two:4223']);
  expect(connectionOptions('tls://token@one')).toMatchObject({ token: 'token', tls: {} });
  expect(connectionOptions('nats://one')).not.toHaveProperty('tls');
});

test('an unreachable server throws StreamUnreachable without the password', async () => {
  const attempt = connectStream({ url: 'nats://ann:secret@127.0.0.1:9', prefix: 'unreachable', connectMs: 300 });
  const error = await attempt.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StreamUnreachable);
  expect(String(error)).toContain('127.0.0.1:9 within 300 ms');
  expect(String(error)).not.toContain('secret');
});

test('a prefix that would break the subjects is refused', async () => {
  await expect(connectStream({ url: 'nats://127.0.0.1:9', prefix: 'a.b' })).rejects.toThrow('60 letters');
});
