import { FakeClock } from '@tributary/clock';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { serveTestClock } from './test-clock.ts';

function open() {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  serveTestClock(app, { now: () => clock.now(), advance: async (milliseconds) => clock.advance(milliseconds) });
  return (payload: string) => app.inject({ method: 'POST', url: '/test/clock', payload });
}

test('advances by whole seconds and returns the new time', async () => {
  const response = await open()('{"advance_seconds":90}');
  expect(response.json()).toEqual({ now: '2026-01-01T00:01:30.000Z' });
});

test.each(['{"advance_seconds":-1}', '{"advance_seconds":1.5}', '{"advance_seconds":"60"}', '{}', 'x', '1e9'])(
  'rejects %s',
  async (body) => {
    const response = await open()(body);
    expect([response.statusCode, response.json().error]).toEqual([400, expect.stringContaining('advance_seconds')]);
  },
);
