import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { sharedInstallation } from './shared-installation.ts';

/** The page on which a provider's figures first appear, and the text to expect there. */
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
      // Ad spend reaches the reports seconds after the sync, and the page must be reloaded.
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
