import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { sharedInstallation } from './shared-installation.ts';

/** Where the figures of a provider first appear, and what the page then shows. */
const providers = [
  ['Google Ads', 'campaigns', 'Google Ads'],
  ['Google Search Console', 'search-terms', 'Impressions'],
  ['HighLevel', 'connections', 'What CRM stages count as'],
  ['Stripe', 'payments', 'Stripe'],
  ['Mercado Pago', 'payments', 'Mercado Pago'],
  ['Meta Ads', 'campaigns', 'Meta Ads'],
] as const;

for (const [provider, where, shown] of providers)
  test(`connect ${provider} and see what it reports`, async () => {
    const workspace = await (await sharedInstallation()).openWorkspace();
    const { page, step, complaints } = workspace.owner;
    await step(`Connect ${provider}`, () => connect(page, workspace, provider));
    await step('See what it reports', async () => {
      // Ad spend reaches the reports seconds after the sync, and the page has to be reloaded.
      const text = page.getByRole('main').getByText(shown).first();
      const isShown = async () => {
        await page.goto(workspace.url(where));
        return text.waitFor({ timeout: 5_000 }).then(
          () => true,
          () => false,
        );
      };
      await expect.poll(isShown, { timeout: 60_000 }).toBe(true);
    });
    expect(complaints).toEqual([]);
  });
