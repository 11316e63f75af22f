import { chooseForm, isCurrent, type StaticDocument } from '@tributary/pages';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends a document in an encoding that the client accepts, or 304 if its cached copy is current. */
export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  document: StaticDocument,
  about: Readonly<Record<string, string>>,
  takeBytes: (bytes: number) => void,
): FastifyReply {
  const form = chooseForm(document, headers['accept-encoding']);
  const vary = reply.getHeader('vary');
  reply.headers({ ...about, etag: form.etag, vary: vary ? `${vary}, accept-encoding` : 'accept-encoding' });
  if (isCurrent(headers['if-none-match'], form)) return reply.code(304).send();
  takeBytes(form.bytes.length);
  if (form.encoding) reply.header('content-encoding', form.encoding);
  return reply.send(form.bytes);
}
