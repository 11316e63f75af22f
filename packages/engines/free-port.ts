import { createServer } from 'node:net';

/** The kernel assigns ports from 32768 on to outgoing connections. */
const lowest = 20_000;
const highest = 32_000;

/**
 * A free port: the preferred one, or a random one outside the range for outgoing connections. Otherwise an outgoing connection could take
 * the port of a killed engine before its restart, or even connect to itself there.
 */
export function freePort(preferred = 0): Promise<number> {
  const port = preferred || randomPort();
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? freePort().then(resolve, reject) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}

const randomPort = () => lowest + Math.floor(Math.random() * (highest - lowest));
