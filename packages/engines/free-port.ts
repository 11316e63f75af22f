import { createServer } from 'node:net';

/** The kernel gives outgoing connections ports from 32768 on. */
const lowest = 20_000;
const highest = 32_000;

/**
 * A port that nobody listens on now: the wished one, or one that no outgoing connection is ever given. Otherwise somebody's
 * connection could take the port of an engine that was killed and is about to come back, or even reach itself there.
 */
export function freePort(wish = 0): Promise<number> {
  const port = wish || randomPort();
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? freePort().then(resolve, reject) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}

const randomPort = () => lowest + Math.floor(Math.random() * (highest - lowest));
