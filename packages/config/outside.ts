import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { address, optional, setting, wholeNumber, yesOrNo } from './setting.ts';

/** External services: central banks for exchange rates, a language model for summaries, a mail server. */

export const exchangeRates = {
  ecbRatesUrl: optional(
    'ECB_RATES_URL',
    address('http:', 'https:'),
    'Where the European Central Bank publishes its daily rates as XML: https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml. Unset: it is not asked.',
  ),
  bcchRatesUrl: optional(
    'BCCH_RATES_URL',
    address('http:', 'https:'),
    'Where Banco Central de Chile answers with the series of the observed dollar (F073.TCO.PRE.Z.D) as JSON, with your user and password in the address. Unset: it is not asked.',
    { secret: true },
  ),
};

export const mail = {
  smtpUrl: optional(
    'SMTP_URL',
    address('smtp:', 'smtps:'),
    'The server that mails leave through: smtps://user:password@mail.example.com, or smtp:// with STARTTLS, which a password demands. Unset: nobody is sent a report, and the console says so.',
    { secret: true },
  ),
  mailFrom: setting(
    'MAIL_FROM',
    z.string().regex(/^[^\r\n]+@[^\r\n]+$/, 'must be an address, or a name and <address>'),
    'Whom mails come from: an address, or a name and <address>. The mail server must let us use it.',
    { fallback: 'Tributary <tributary@localhost>' },
  ),
};

export const summaries = {
  modelBaseUrl: optional(
    'MODEL_BASE_URL',
    address('http:', 'https:'),
    "Where a language model answers in the form of OpenAI's chat completions, up to the version: https://api.example.com/v1. Unset: no journey is summarised.",
  ),
  modelName: optional('MODEL_NAME', z.string().min(1), 'What the model is called there.'),
  modelApiKey: optional('MODEL_API_KEY', z.string().min(1), 'The key that it asks for, if it does.', { secret: true }),
  modelInPrivateNetwork: setting(
    'MODEL_IN_PRIVATE_NETWORK',
    yesOrNo,
    'Whether the model may be on this machine or in a private network, over plain HTTP and at any port.',
    { fallback: 'false' },
  ),
  adPatienceSeconds: setting(
    'AD_PATIENCE_SECONDS',
    wholeNumber(1, 60),
    'How long an ad platform may take for a change while somebody waits. What was not answered after two and a half times as long is looked up there. REQUEST_TIMEOUT_MS should be longer.',
    { fallback: '20' },
  ),
  summariesPerDay: setting(
    'SUMMARIES_PER_DAY',
    wholeNumber(0, 1_000_000),
    'How many journeys a workspace may have summarised in a day (UTC).',
    { fallback: String(limits.journeySummary.defaultUnitsPerDay) },
  ),
};
