import type { Routes } from '@tributary/contract';
import { answer, type Handles, type ProfileContext } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';
import { readInstallation } from './installation.ts';
import { storeEvents, storePixelScript } from './store-pixel.ts';

const instructions = [
  'In the store’s admin open Settings, then Customer events, and choose "Add custom pixel". Name it Tributary.',
  'Under Customer privacy choose the permissions that your shop asks visitors for: marketing and analytics is usual.',
  'Replace what is in the code field by "script", save, and choose "Connect".',
  'Visit the store, put something into the cart, and see the visits at GET /api/v1/tracking/events.',
];

type InstallerServices = Pick<TrackingServices, 'collectorUrl'>;

export const readStorePixelInstaller: Handles<Routes['readStorePixelInstaller'], InstallerServices> = (
  _input,
  context,
) => respond(context);

/** Serves the same response under the Shopify path. */
export const readShopifyPixelInstaller: Handles<Routes['readShopifyPixelInstaller'], InstallerServices> = (
  _input,
  context,
) => respond(context);

async function respond(context: ProfileContext & InstallerServices) {
  const installation = await readInstallation(context, context.collectorUrl);
  return answer(200, { data: { script: storePixelScript(installation), events: storeEvents, instructions } });
}
