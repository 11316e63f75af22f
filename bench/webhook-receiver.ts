import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Takes whatever is posted, in a process of its own. Says how many it has taken when it is asked. */
let taken = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    taken += 1;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ taken }));
