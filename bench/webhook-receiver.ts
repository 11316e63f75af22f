import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Accepts every post in a separate process. Reports the number of accepted requests on request. */
let received = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received += 1;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ received }));
