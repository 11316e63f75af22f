import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '@tributary/operations';
import type { FastifyInstance } from 'fastify';

/** As many as a client may send ahead over one connection. */
const mostAhead = 100;

/** Of a connection: what it was asked for last, and how much waits behind what is being answered. */
interface Line {
  newest: ServerResponse;
  waiting: number;
}

/**
 * Answers leave a connection in the order of its requests. So a request that came before the answer ahead of it has left is not
 * begun until then: its own answer could not leave, and would keep what it holds (a place at the person gate) from others.
 */
export function serveInTurn(fastify: FastifyInstance): void {
  const lines = new WeakMap<Socket, Line>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const line = lines.get(socket);
    if (!line) {
      lines.set(socket, { newest: reply.raw, waiting: 0 });
      return done();
    }
    const ahead = line.newest;
    if (line.waiting >= mostAhead) return done(tooManyAhead());
    line.newest = reply.raw;
    if (ahead.closed) return done();
    line.waiting += 1;
    ahead.once('close', () => {
      line.waiting -= 1;
      // Over a connection that has gone nobody waits for an answer.
      if (!socket.destroyed) done();
    });
  });
}

const tooManyAhead = () =>
  new Refusal('rate_limit_exceeded', `No more than ${mostAhead} requests may be sent ahead of their answers.`, {
    headers: { 'retry-after': '1' },
  });
