import { verifyWebhook } from '@tributary/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { openReceiver } from './receiver.ts';
import { sharedInstallation } from './shared-installation.ts';

test('create a webhook, see its delivery fail, fix the receiver and send it again', async () => {
  const installation = await sharedInstallation();
  const workspace = await installation.openWorkspace();
  const receiver = await openReceiver();
  onTestFinished(() => receiver.close());
  receiver.status = 500;
  const { page, step, complaints } = workspace.owner;
  const endpoint = `${receiver.url}/hooks`;

  let secret = '';
  await step('Create a webhook', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await page.getByLabel('Endpoint URL').fill(endpoint);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('checkbox', { name: /conversion\.attributed/ }).check();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    secret = (await page.getByRole('status').locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
  });

  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: endpoint }) });
  const delivery = card.getByRole('listitem').filter({ hasText: 'conversion.attributed' });
  await step('A test delivery fails', async () => {
    await card.getByRole('button', { name: 'Send a test' }).click();
    await card.getByRole('button', { name: 'Show deliveries' }).click();
    await expect.poll(() => receiver.requests.length, { interval: 100 }).toBeGreaterThan(0);
    await delivery.locator('summary').click();
    await delivery
      .getByText(/: 500, /)
      .first()
      .waitFor();
    await delivery.getByText(/Next attempt: /).waitFor();
  });

  await step('Fix the receiver and send the delivery again', async () => {
    receiver.status = 204;
    await delivery.getByRole('button', { name: 'Send again' }).click();
    await delivery
      .getByText(/: 204, /)
      .first()
      .waitFor();
    await expect.poll(() => delivery.locator('summary').textContent()).toContain('delivered');
  });
  const [failed] = receiver.requests;
  const delivered = receiver.requests.at(-1);
  const id = failed?.headers['webhook-id'];
  expect(receiver.requests.length).toBeGreaterThan(1);
  expect([delivered?.body, delivered?.headers['webhook-id']]).toEqual([failed?.body, id]);
  const { type, data } = await verifyWebhook(secret, delivered?.headers ?? {}, delivered?.body ?? '');
  expect([type, data.profile_id]).toEqual(['conversion.attributed', workspace.profileId]);

  await step('After a rotation both secrets verify', async () => {
    await card.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
    const rotated = (await card.getByRole('status').locator('code').textContent()) ?? '';
    await card.getByRole('button', { name: 'Send a test' }).click();
    const next = () => receiver.requests.find(({ headers }) => headers['webhook-id'] !== id);
    await expect.poll(next, { interval: 100 }).toBeDefined();
    for (const key of [secret, rotated]) await verifyWebhook(key, next()?.headers ?? {}, next()?.body ?? '');
    expect(rotated).not.toBe(secret);
  });

  await step('Delete the webhook', async () => {
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });
  expect(complaints).toEqual([]);
});
