import { openTest } from '@tributary/testkit';
import { expect, test } from 'vitest';

const widgetUrl = 'https://js.bank.test/v1/';
const provider = { link: { widget: { scriptUrl: widgetUrl, sources: ['https://js.bank.test'] } } };
let isSetUp = true;
const { api } = await openTest({ providers: { of: () => (isSetUp ? (provider as never) : undefined) } });

const open = (language: string) =>
  api.call({ method: 'GET', url: '/connect/bank-link', headers: { 'accept-language': language } });

test('the bank widget page loads the widget’s script and uses the browser’s language', async () => {
  const answer = await open('es-CL');
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain(`src="${widgetUrl}"`);
  expect(answer.body).toContain('Enlazar una cuenta bancaria');
  expect((await open('en')).body).toContain('Link a bank account');
});

test('without the provider the page loads no third-party script', async () => {
  isSetUp = false;
  const answer = await open('en');
  expect(answer.statusCode).toBe(200);
  expect(answer.body).not.toContain('src=');
  isSetUp = true;
});
