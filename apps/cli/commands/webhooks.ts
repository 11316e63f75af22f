import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@tributary/sdk';
import { Command } from 'commander';

interface ListenFlags {
  readonly port: string;
  readonly secret: string;
  readonly status: string;
  readonly json?: boolean;
}

export const webhooksCommand = () => new Command('webhooks').addCommand(listen());

const listen = () =>
  new Command('listen')
    .description('Receive webhooks on this machine: verify each, show it, and answer')
    .requiredOption('--secret <whsec>', 'the secret of the subscription')
    .option('--port <number>', 'where to listen, on 127.0.0.1; 0 for any that is free', '4300')
    .option('--status <code>', 'what to answer to what is verified, to see how failures are repeated', '204')
    .option('--json', 'a line of JSON for each')
    .action(async (flags: ListenFlags) => {
      const server = createServer(async (request, response) => {
        const shown = await show(request, flags.secret);
        console.log(flags.json ? JSON.stringify(shown) : inWords(shown));
        response.writeHead(shown.verified ? Number(flags.status) : 400).end();
      });
      server.listen(Number(flags.port), '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const url = `http://localhost:${port}/`;
      console.log(
        flags.json
          ? JSON.stringify({ url })
          : `Listening at ${url}. The service reaches it with WEBHOOK_LOCAL_HOSTS=localhost.`,
      );
      await once(process, 'SIGINT');
      server.closeAllConnections();
      server.close();
    });

type Shown =
  | { readonly verified: true; readonly event: unknown }
  | { readonly verified: false; readonly reason: string };

async function show(request: IncomingMessage, secret: string): Promise<Shown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return { verified: true, event: await verifyWebhook(secret, request.headers, Buffer.concat(chunks)) };
  } catch (error) {
    return { verified: false, reason: (error as Error).message };
  }
}

const inWords = (shown: Shown): string =>
  shown.verified ? `verified\n${JSON.stringify(shown.event, null, 2)}` : `refused: ${shown.reason}`;
