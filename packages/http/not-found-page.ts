import { chooseLanguage, html, pageResponse } from '@tributary/pages';
import type { FastifyReply, FastifyRequest } from 'fastify';

const messages = {
  en: {
    title: 'Page not found',
    about: 'There is no page at this address. Check the link, or start from the beginning.',
    home: 'Open Tributary',
    docs: 'Documentation',
  },
  es: {
    title: 'Página no encontrada',
    about: 'No hay ninguna página en esta dirección. Revisa el enlace o empieza desde el principio.',
    home: 'Abrir Tributary',
    docs: 'Documentación',
  },
} as const;

/** Whether a browser opened a path that no route serves. API clients, and all paths below /api, /oauth and /mcp, get JSON. */
export const wantsNotFoundPage = ({ is404, method, url, headers }: FastifyRequest): boolean =>
  is404 &&
  (method === 'GET' || method === 'HEAD') &&
  !/^\/(api|oauth|mcp)(\/|$|\?)/.test(url) &&
  /\btext\/html\b/.test(headers.accept ?? '');

export async function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const language = chooseLanguage(request.headers['accept-language'] ?? null, ['en', 'es']);
  const t = messages[language];
  const page = pageResponse({
    status: 404,
    title: t.title,
    language,
    body: [
      html`<h1>${t.title}</h1><p>${t.about}</p>`,
      html`<p><a class="button" href="/">${t.home}</a> <a href="/docs">${t.docs}</a></p>`,
    ],
  });
  return reply
    .code(404)
    .headers(Object.fromEntries(page.headers))
    .send(await page.text());
}
