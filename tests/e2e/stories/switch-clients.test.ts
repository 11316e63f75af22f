import { buildProfile } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sharedInstallation } from './shared-installation.ts';

const clients = [
  'Andes Outdoor',
  'Bakery Nine',
  'Casa Lumen',
  'Delta Fitness',
  'Estudio Sur',
  'Farmacia Vida',
  'Green Roof',
  'Hotel Faro',
  'Isla Surf',
  'Jardín Norte',
  'Kiosk 24',
  'Laguna Spa',
  'Mercado Real',
  'Nube Books',
  'Olivo Foods',
  'Pampa Wine',
  'Quinta Clinic',
  'Roble Kids',
  'Selva Coffee',
  'Torre Motors',
];

test('an agency finds one of 20 client profiles by typing and stays on the same page', async () => {
  const { kit, openWorkspace } = await sharedInstallation();
  const { owner, workspaceId, url } = await openWorkspace({ plan: 'growth' });
  const ids = new Map<string, string>();
  for (const name of clients) {
    const { id } = await buildProfile(kit.app, { workspaceId });
    await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => sql`UPDATE profiles SET name = ${name} WHERE id = ${id}`.execute(tx));
    ids.set(name, id);
  }
  const { page, step, complaints } = owner;
  const switcher = page.getByRole('button', { name: /Switch profile$/ });
  const search = page.getByRole('searchbox', { name: 'Find a profile' });

  await step('The switcher lists all clients', async () => {
    await page.goto(url('campaigns'));
    await switcher.click();
    await page.getByRole('button', { name: 'Torre Motors' }).waitFor();
    const listed = page.getByRole('region', { name: 'Test workspace' }).getByRole('listitem');
    expect(await listed.count()).toBe(clients.length + 1);
  });
  await step('Type a part of a name and press Enter', async () => {
    await search.fill('vida');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/p/${ids.get('Farmacia Vida')}/campaigns**`);
    await expect.poll(() => switcher.textContent()).toContain('Farmacia Vida');
  });
  await step('Choose among several with the arrow keys', async () => {
    await switcher.click();
    await search.fill('la');
    expect(await page.getByRole('dialog', { name: 'Profile' }).getByRole('listitem').allTextContents()).toEqual([
      'Isla Surf',
      'Laguna Spa',
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/p/${ids.get('Laguna Spa')}/campaigns**`);
  });
  await step('Use the command palette', async () => {
    await page.keyboard.press('Control+K');
    await page.getByRole('searchbox', { name: 'Go to' }).fill('pampa');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/p/${ids.get('Pampa Wine')}/campaigns**`);
  });
  await step('A misspelt name says so, and Escape closes the list', async () => {
    await switcher.click();
    await search.fill('pampas');
    await page.getByText('No profile has this name.').waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
    expect(page.url()).toContain(ids.get('Pampa Wine') ?? 'none');
  });
  expect(complaints).toEqual([]);
});
