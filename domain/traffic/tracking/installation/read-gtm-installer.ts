import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { TrackingServices } from '../services.ts';
import { gtmContainer } from './gtm-container.ts';
import { readInstallation } from './installation.ts';

const instructions = [
  'Save "container" as a JSON file.',
  'In Tag Manager open Admin, then Import Container, and choose the file.',
  'Choose a workspace, then "Merge" and "Rename conflicting", so that nothing of yours is replaced.',
  'Preview, see the tag "Tributary tracker" fire on a page, and publish.',
  'Start a verification to see that visits arrive.',
];

export const readGtmInstaller: Handles<Routes['readGtmInstaller'], Pick<TrackingServices, 'collectorUrl'>> = async (
  _input,
  context,
) => {
  const installation = await readInstallation(context, context.collectorUrl);
  return answer(200, {
    data: {
      file_name: 'tributary-gtm-container.json',
      container: gtmContainer(installation, context.now),
      instructions,
    },
  });
};
