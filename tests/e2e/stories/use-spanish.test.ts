import { expect, test } from 'vitest';
import { faultsIn, optionsOf, settle, visibleFaults } from '../walk.ts';
import { sharedInstallation } from './shared-installation.ts';
import { openAdvertisingShop } from './shop-server.ts';

const look = { language: 'es', theme: 'light', width: 1440, name: 'Spanish' } as const;

const pages = [
  'Resumen',
  'Campañas',
  'Clientes',
  'Pagos',
  'Conexiones',
  'Objetivos',
  'Equipo',
  'Informes por correo',
  'Ajustes',
  'Webhooks',
];

// Takes longer than ten seconds: it reads ten pages.
test('a member uses the console in Spanish: reports, settings, a key and the audit log', async () => {
  const installation = await sharedInstallation();
  const shop = await openAdvertisingShop(installation);
  const { page, step, complaints } = await installation.visitor(optionsOf({ ...look, language: 'en' }));

  await step('Choose Spanish on the sign-in page', async () => {
    await page.goto(shop.url('overview'));
    await page.getByLabel('Language').selectOption('es');
    await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor();
    expect(await faultsIn(page, look)).toEqual([]);
  });
  const links = page.getByRole('navigation', { name: 'Páginas' }).getByRole('link');
  await step('Sign in', async () => {
    await page.getByLabel('Correo electrónico').fill(shop.owner.email);
    await page.getByLabel('Contraseña').fill(shop.owner.password);
    await page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click();
    await links.getByText('Campañas', { exact: true }).waitFor();
  });

  for (const title of pages)
    await step(title, async () => {
      await links.getByText(title, { exact: true }).click();
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
      await settle(page);
      expect(await visibleFaults(page, look), title).toEqual([]);
    });

  await step('Create a key', async () => {
    await links.getByText('Claves de API', { exact: true }).click();
    await page.getByLabel('Nombre').fill('Servidor');
    await page.getByRole('button', { name: 'Crear clave' }).click();
    await page.getByRole('status').locator('code').waitFor();
  });
  await step('The audit log names it in Spanish', async () => {
    await links.getByText('Auditoría', { exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'Clave creada' }).waitFor();
  });
  expect(complaints).toEqual([]);
});
