import type { MailFault } from '@tributary/vocabulary';
import { createTransport } from 'nodemailer';
import { addressKind } from './public-address.ts';

/** A mail to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for the same mail, so that a reader's program sees a second copy for what it is. */
  readonly messageId: string;
  /** Where the recipient unsubscribes; absent for a mail that the recipient requested. */
  readonly stopUrl?: string;
}

/** Sends mails through the operator's own server, whose address is in the settings: no user can choose where it connects to. */
export interface Mailer {
  /** Resolves once the server has taken the mail. Rejects with `MailFailed`. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** `unclear`: the server had the mail and did not say whether it took it. In every other case it did not. */
export class MailFailed extends Error {
  readonly fault: MailFault;

  constructor(fault: MailFault, options?: ErrorOptions) {
    super(`The mail server did not take a mail: ${fault}.`, options);
    this.fault = fault;
  }
}

/** For each step of a conversation; a server that says nothing for so long is away. */
const patienceMs = 20_000;

export function createMailer({ url, from }: { readonly url: string; readonly from: string }): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isImplicit = protocol === 'smtps:';
  const isHere = host === 'localhost' || addressKind(host) === 'loopback';
  const transport = createTransport({
    host,
    port: Number(port) || (isImplicit ? 465 : 587),
    secure: isImplicit,
    // A password never leaves in the clear, but for a server on this machine.
    requireTLS: !isImplicit && username !== '' && !isHere,
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, stopUrl, ...mail }) {
      // Asked first, so that whoever is away is known to have got nothing: what breaks afterwards may have been taken.
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

/** Of an answer the first digit says whether trying again makes sense: 4 does, 5 does not. */
function fail(error: unknown, unanswered: MailFault): never {
  const { responseCode } = error as { responseCode?: number };
  const answered = responseCode !== undefined && (responseCode >= 500 ? 'refused' : 'unreachable');
  throw new MailFailed(answered || unanswered, { cause: error });
}
