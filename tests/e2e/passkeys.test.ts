import { buildConsole, consoleDirectory } from '@tributary/console/build.ts';
import { createPasswords, createUser } from '@tributary/domain/tenancy/accounts/module.ts';
import { freePort, openApi, openTestkit, operatorOf } from '@tributary/testkit';
import { expect, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { visit } from './console-scene.ts';

test('a passkey is added on the account page, signs in without a password, and is removed', async () => {
  const kit = await openTestkit();
  kit.clock.set(new Date());
  const port = await freePort();
  // Browsers bind a passkey to a host name, and localhost needs no certificate.
  const baseUrl = `http://localhost:${port}`;
  await buildConsole();
  const [api, browser] = await Promise.all([openApi(kit, { baseUrl, consoleDirectory }), openBrowser()]);
  try {
    await api.fastify.listen({ host: '127.0.0.1', port });
    const password = 'vague otter lamp';
    const tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
    const { email } = await createUser(tools, { email: 'ana@example.com', name: 'Ana', password });
    const { page, complaints } = await visit(browser, baseUrl);
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });

    await page.goto(`${baseUrl}/sign-in?next=/account`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
    const passkeys = page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) });
    await passkeys.getByLabel('Your password').fill(password);
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    await passkeys.getByRole('button', { name: 'Give it up' }).waitFor();

    await page.context().clearCookies();
    await page.goto(`${baseUrl}/sign-in?next=/account`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText(email).waitFor();
    await passkeys.getByRole('button', { name: 'Give it up' }).click();
    await passkeys.getByRole('listitem').waitFor({ state: 'detached' });

    await page.context().clearCookies();
    await page.goto(`${baseUrl}/sign-in`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('This passkey is not known here').waitFor();
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
    await api.close();
    await kit.close();
  }
});
