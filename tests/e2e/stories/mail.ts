import { expect } from 'vitest';
import type { Installation } from './installation.ts';

type Mail = Installation['mails']['received'][number];

/** Waits for the newest mail to an address that contains a text. */
export async function receiveMail({ mails }: Installation, to: string, text: string): Promise<Mail> {
  const find = () => mails.received.findLast((mail) => mail.to === to && mail.text.includes(text));
  await expect.poll(find, { timeout: 60_000, interval: 100 }).toBeDefined();
  return find() as Mail;
}

/** The URL in a mail that contains a text. */
export function linkIn({ text }: Mail, part: string): string {
  const link = text.match(/https?:\/\/[^\s"<>]+/g)?.find((url) => url.includes(part));
  if (!link) throw new Error(`The mail has no link with ${part}: ${text}`);
  return link;
}
