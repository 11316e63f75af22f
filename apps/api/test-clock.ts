import type { TestClock } from '@tributary/platform';
import type { FastifyInstance } from 'fastify';

/** Ten years: longer than every period that a rule defines. */
const longestSeconds = 10 * 365 * 86_400;

/** Reads and advances the clock of a test installation. Not part of the public contract; served only with TEST_CLOCK. */
export function serveTestClock(fastify: FastifyInstance, clock: Pick<TestClock, 'now' | 'advance'>): void {
  const read = () => ({ now: clock.now().toISOString() });
  fastify.get('/test/clock', read);
  fastify.post('/test/clock', async (request, reply) => {
    const seconds = readSeconds(request.body);
    if (seconds === undefined) {
      reply.code(400);
      return { error: `Send {"advance_seconds": N} with a whole number from 1 to ${longestSeconds}.` };
    }
    await clock.advance(seconds * 1_000);
    return read();
  });
}

function readSeconds(body: unknown): number | undefined {
  try {
    const { advance_seconds: seconds } = JSON.parse(String(body)) as { advance_seconds?: unknown };
    return Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= longestSeconds
      ? Number(seconds)
      : undefined;
  } catch {
    return undefined;
  }
}
