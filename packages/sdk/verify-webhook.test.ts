import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, type WebhookHeaders, WebhookNotVerified } from './index.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const sentAt = 1_781_524_800;
const body = '{"id":"event-1","data":{"name":"Añá"}}';

const sign = (text: string, by = secret) =>
  `v1,${createHmac('sha256', Buffer.from(by.slice('whsec_'.length), 'base64'))
    .update(text)
    .digest('base64')}`;
const headers = {
  'webhook-id': 'event-1',
  'webhook-timestamp': String(sentAt),
  'webhook-signature': sign(`event-1.${sentAt}.${body}`),
};
const after = (seconds: number) => ({ now: () => new Date((sentAt + seconds) * 1_000) });
const verify = (sent: WebhookHeaders, text: string | Uint8Array = body, by: string | string[] = secret) =>
  verifyWebhook(by, sent, text, after(0));
const mapped = <T>(change: (value: string) => T) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));

describe('a delivery is verified', () => {
  test.each<[form: string, WebhookHeaders]>([
    ['text, as in Node', headers],
    ['lists, as in Node', mapped((value) => [value])],
    ['lists of several values, of which the first counts', mapped((value) => [value, 'another'])],
    ['Headers, as in fetch', new Headers(headers)],
  ])('with headers as %s', async (_form, sent) => {
    expect(await verify(sent)).toEqual(JSON.parse(body));
  });

  test('with a body of bytes', async () => {
    expect(await verify(headers, new TextEncoder().encode(body))).toEqual(JSON.parse(body));
  });

  test('with any of several secrets and any of several signatures', async () => {
    const [old, unknown] = [newSecret(), newSecret()];
    expect(await verify(headers, body, [old, secret])).toEqual(JSON.parse(body));
    const signatures = [sign('another text', unknown), 'v2,unknown', headers['webhook-signature']].join(' ');
    expect(await verify({ ...headers, 'webhook-signature': signatures })).toEqual(JSON.parse(body));
  });

  test.each([-300, 300])('at a clock difference of %i seconds', async (seconds) => {
    expect(await verifyWebhook(secret, headers, body, after(seconds))).toEqual(JSON.parse(body));
  });
});

describe('a delivery is refused', () => {
  const refused = (promise: Promise<unknown>) => expect(promise).rejects.toThrow(WebhookNotVerified);

  test.each(Object.keys(headers))('without the header %s', async (name) => {
    for (const absent of [undefined, [], '']) await refused(verify({ ...headers, [name]: absent }));
    const sent = new Headers(headers);
    sent.delete(name);
    await refused(verify(sent));
  });

  test.each([-301, 301])('at a clock difference of %i seconds', async (seconds) => {
    await refused(verifyWebhook(secret, headers, body, after(seconds)));
  });

  test('at a clock difference above another tolerance', async () => {
    const within = (toleranceSeconds: number) =>
      verifyWebhook(secret, headers, body, { ...after(301), toleranceSeconds });
    expect(await within(301)).toEqual(JSON.parse(body));
    await refused(within(300));
  });

  test('with a time that is no number of seconds', async () => {
    for (const time of ['soon', `${sentAt}.0`, `-${sentAt}`, '9'.repeat(13)]) {
      const sent = { ...headers, 'webhook-timestamp': time, 'webhook-signature': sign(`event-1.${time}.${body}`) };
      await refused(verifyWebhook(secret, sent, body, { ...after(0), toleranceSeconds: 1e15 }));
    }
  });

  test('with another body, another id or the signature of another secret', async () => {
    await refused(verify(headers, `${body} `));
    await refused(verify({ ...headers, 'webhook-id': 'event-2' }));
    await refused(verify(headers, body, newSecret()));
    await refused(verify(headers, body, []));
  });
});

test('a secret that is not whsec_ and base64 is an error of the caller', async () => {
  await expect(verify(headers, body, 'whsec_*')).rejects.toThrow(TypeError);
});
