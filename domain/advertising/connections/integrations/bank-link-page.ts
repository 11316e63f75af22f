import { chooseLanguage, html, type PageEndpoint, pageResponse } from '@tributary/pages';
import type { Providers } from '@tributary/providers';
import { type Language, languages } from '@tributary/vocabulary';

const texts: Readonly<Record<Language, Readonly<Record<'title' | 'opens' | 'failed' | 'back', string>>>> = {
  en: {
    title: 'Link a bank account',
    opens: 'The bank widget opens in a moment.',
    failed:
      'The bank widget could not be opened. Turn off ad blockers for this page, then start again from Connections.',
    back: 'Back to Connections',
  },
  es: {
    title: 'Enlazar una cuenta bancaria',
    opens: 'El widget del banco se abre en un momento.',
    failed:
      'No se pudo abrir el widget del banco. Desactiva los bloqueadores de anuncios en esta página y empieza de nuevo en Conexiones.',
    back: 'Volver a Conexiones',
  },
};

/**
 * The console stores the tokens and the return path in the tab's session storage. The exchange token is returned the
 * same way, so that no token appears in a URL.
 */
const script = `
const key = 'bank link';
const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null');
const finish = (exchangeToken) => {
  if (exchangeToken) sessionStorage.setItem(key, JSON.stringify({ ...stored, exchangeToken }));
  else sessionStorage.removeItem(key);
  location.replace(stored.back);
};
if (stored) document.getElementById('back').href = stored.back;
try {
  const { publicKey, widgetToken } = stored;
  Fintoc.create({ publicKey, widgetToken, onSuccess: (link) => finish(link.exchangeToken), onExit: () => finish() }).open();
} catch {
  document.getElementById('opens').hidden = true;
  document.getElementById('failed').hidden = false;
}
`;

/** Opens the widget of the bank-link provider on its own page, so that the console loads no script of another host. */
export const bankLinkPage = ({ providers }: { readonly providers: Providers }): PageEndpoint => ({
  method: 'GET',
  path: '/connect/bank-link',
  allowance: 'public',
  maxBytes: 1_024,
  async handle(request) {
    const language = chooseLanguage(request.headers.get('accept-language'), languages);
    const { title, opens, failed, back } = texts[language];
    const body = [
      html`<h1>${title}</h1>
<p id="opens" role="status">${opens}</p>
<p id="failed" class="problem" role="alert" hidden>${failed}</p>
<p><a id="back" class="button" href="/">${back}</a></p>`,
    ];
    const widget = providers.of('bank_link')?.link?.widget;
    return pageResponse({ status: 200, title, language, body, script, ...(widget && { widget }) });
  },
});
