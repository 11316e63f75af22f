import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: string;
  readonly raw: string;
  readonly text: string;
}

/** A real SMTP server on this machine. As the test decides, it accepts the mail, accepts it and disconnects, or rejects it with a code. */
export async function startMailServer() {
  const received: ReceivedMail[] = [];
  const desk = {
    received,
    url: '',
    onData: 'take' as 'take' | 'hang up' | number,
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, callback) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (typeof desk.onData === 'number') return callback(answering(desk.onData));
        const raw = Buffer.concat(parts).toString();
        const [{ address: to } = { address: '' }] = session.envelope.rcptTo;
        received.push({ to, raw, text: decoded(raw) });
        if (desk.onData === 'take') return callback();
        // The server has stored the mail, but the sender never receives the acknowledgement.
        for (const connection of server.connections as Set<{ _socket: { destroy(): void } }>)
          connection._socket.destroy();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  desk.url = `smtp://127.0.0.1:${(server.server.address() as { port: number }).port}`;
  return desk;
}

const answering = (code: number) => Object.assign(new Error('as the test says'), { responseCode: code });

/** Decodes a quoted-printable body. */
const decoded = (raw: string): string =>
  Buffer.from(
    raw.replaceAll('=\r\n', '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
