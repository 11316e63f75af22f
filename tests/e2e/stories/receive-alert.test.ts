import { hourMs } from '@tributary/vocabulary';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runScheduled } from './jobs.ts';
import { advancingInstallation } from './shared-installation.ts';
import { createTag, openSite, pageWith, type Site, visitSite } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

test('an owner is mailed when tracking stops, and when visits arrive again', async () => {
  const installation = await advancingInstallation();
  const workspace = await installation.openWorkspace();
  const { page, step, complaints } = workspace.owner;
  const alert = page.getByRole('region', { name: 'What needs a look' });
  const mails = () => installation.mails.received.filter(({ text }) => text.includes(workspace.profileId));
  const subjects = () => mails().map(({ raw }) => raw.match(/^Subject: (.*)\r$/m)?.[1]);
  const tag = await createTag(page, workspace);

  await step('Visits arrive', async () => {
    site.html = pageWith(tag);
    await visitSite(installation, site.origin);
    await page.getByText('Receiving data', { exact: true }).waitFor();
  });

  await step('A day after a new theme without the tag, the console warns', async () => {
    site.html = '<!doctype html><title>Shop</title><h1>Shop</h1>';
    await installation.advance(25 * hourMs);
    await visitSite(installation, site.origin);
    await runScheduled(installation, 'lookForAlerts', {});
    const shown = async () => {
      await page.goto(workspace.url('overview'));
      await page.getByRole('heading', { level: 1 }).waitFor();
      return alert
        .getByText('No visits are arriving')
        .waitFor({ timeout: 2_000 })
        .then(
          () => true,
          () => false,
        );
    };
    await expect.poll(shown).toBe(true);
  });

  await step('The owner has a mail whose link leads to Tracking', async () => {
    await expect.poll(subjects).toEqual(['Test profile: no visits are arriving']);
    const [{ text, to } = { text: '', to: '' }] = mails();
    expect(to).toMatch(/^owner-/);
    expect(text).toContain('No visit has come for 24 hours.');
    const link = text.match(/https?:\S+\/tracking\b/)?.[0] ?? '';
    await page.goto(link);
    await page.getByRole('heading', { name: 'Tracking', level: 1 }).waitFor();
    await page.getByText('Silent', { exact: true }).waitFor();
  });

  await step('The tag is back: the warning ends', async () => {
    site.html = pageWith(tag);
    await visitSite(installation, site.origin);
    const isAlive = async () => {
      await page.reload();
      return page
        .getByText('Alive', { exact: true })
        .waitFor({ timeout: 2_000 })
        .then(
          () => true,
          () => false,
        );
    };
    await expect.poll(isAlive).toBe(true);
    await runScheduled(installation, 'lookForAlerts', {});
    await expect
      .poll(subjects)
      .toEqual(['Test profile: no visits are arriving', 'Test profile: visits are arriving again']);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => alert.count()).toBe(0);
  });
  expect(complaints).toEqual([]);
});
