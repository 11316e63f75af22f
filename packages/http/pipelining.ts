import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '@tributary/operations';
import type { FastifyInstance } from 'fastify';

/** The most requests that a client may pipeline on one connection. */
const maxPipelined = 100;

/** The newest response of a connection, and the number of requests waiting behind the one being served. */
interface ConnectionQueue {
  lastResponse: ServerResponse;
  waiting: number;
}

/**
 * Serves pipelined requests of a connection one after the other. HTTP sends responses in request order. A request handled early
 * could not send its response, and would keep its resources (such as a slot of the personal-data gate) from others.
 */
export function serveInTurn(fastify: FastifyInstance): void {
  const queues = new WeakMap<Socket, ConnectionQueue>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const queue = queues.get(socket);
    if (!queue) {
      queues.set(socket, { lastResponse: reply.raw, waiting: 0 });
      return done();
    }
    const previous = queue.lastResponse;
    if (queue.waiting >= maxPipelined) return done(tooManyPipelined());
    queue.lastResponse = reply.raw;
    if (previous.closed) return done();
    queue.waiting += 1;
    previous.once('close', () => {
      queue.waiting -= 1;
      // If the connection is gone, the waiting request is dropped.
      if (!socket.destroyed) done();
    });
  });
}

const tooManyPipelined = () =>
  new Refusal('rate_limit_exceeded', `No more than ${maxPipelined} requests may be sent ahead of their answers.`, {
    headers: { 'retry-after': '1' },
  });
