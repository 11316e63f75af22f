import type { MailFault } from '@tributary/vocabulary';
import { createTransport } from 'nodemailer';
import { addressKind } from './public-address.ts';

/** A mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for each copy of a mail, so that a mail program recognises duplicates. */
  readonly messageId: string;
  /** The recipient's unsubscribe link; absent for a mail that the recipient requested. */
  readonly stopUrl?: string;
}

/** Sends mails through the operator's own server, whose address is in the settings: no user can choose where it connects to. */
export interface Mailer {
  /** Resolves once the server has accepted the mail. Rejects with `MailFailed`. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** `unclear`: the server received the mail but did not confirm it. In every other case it did not accept it. */
export class MailFailed extends Error {
  readonly fault: MailFault;

  constructor(fault: MailFault, options?: ErrorOptions) {
    super(`The mail server did not take a mail: ${fault}.`, options);
    this.fault = fault;
  }
}

/** For each step of the SMTP conversation; a server that is silent for longer counts as unavailable. */
const timeoutMs = 20_000;

export function createMailer({ url, from }: { readonly url: string; readonly from: string }): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isImplicit = protocol === 'smtps:';
  const isLocal = host === 'localhost' || addressKind(host) === 'loopback';
  const transport = createTransport({
    host,
    port: Number(port) || (isImplicit ? 465 : 587),
    secure: isImplicit,
    // The password is sent only over TLS, except to a server on this machine.
    requireTLS: !isImplicit && username !== '' && !isLocal,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, stopUrl, ...mail }) {
      // Verifies the connection first, so that an unreachable server is known to have accepted nothing: a later failure may leave the mail
      // accepted.
      await transport.verify().catch((error: unknown) => fail(error, 'unreachable'));
      const headers = {
        ...(stopUrl && { 'List-Unsubscribe': `<${stopUrl}>` }),
        'Auto-Submitted': 'auto-generated',
      };
      await transport
        .sendMail({ from, to: { name: '', address: to }, ...mail, headers })
        .catch((error: unknown) => fail(error, 'unclear'));
    },
    close: () => transport.close(),
  };
}

/** The first digit of a reply code shows whether a retry makes sense: yes for 4, no for 5. */
function fail(error: unknown, noReply: MailFault): never {
  const { responseCode } = error as { responseCode?: number };
  const replied = responseCode !== undefined && (responseCode >= 500 ? 'refused' : 'unreachable');
  throw new MailFailed(replied || noReply, { cause: error });
}
