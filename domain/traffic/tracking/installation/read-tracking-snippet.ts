import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { adPlatforms, type PixelPlatform } from '@tributary/vocabulary';
import type { TrackingServices } from '../services.ts';
import { readInstallation } from './installation.ts';
import { pixelCode } from './pixel-code.ts';
import { buildSnippet } from './snippet.ts';

export const readTrackingSnippet: Handles<
  Routes['readTrackingSnippet'],
  Pick<TrackingServices, 'collectorUrl'>
> = async ({ query }, context) => {
  const selected = readPixel(query.pixel, query.pixel_id);
  if (selected && context.caller.isHealthcare) {
    refuse('forbidden', 'This profile counts as healthcare: no ad platform’s pixel goes into its pages.', {
      fields: { reason: 'healthcare' },
    });
  }
  const installation = await readInstallation(context, context.collectorUrl);
  // The response is only for copying: opened in a browser, it must not run.
  context.setHeader('content-security-policy', "default-src 'none'; sandbox");
  const pixel = selected ? pixelCode(selected.pixel, selected.id, installation.isConsentRequired) : '';
  return answer(200, `${buildSnippet(installation)}${pixel}`);
};

function readPixel(
  pixel: PixelPlatform | undefined,
  id: string | undefined,
): { pixel: PixelPlatform; id: string } | undefined {
  if (pixel === undefined && id === undefined) return undefined;
  if (pixel === undefined) return refuseParameter('pixel', 'is required with "pixel_id"');
  const { idPattern, idShape } = adPlatforms[pixel].pixel;
  if (id === undefined || !idPattern.test(id)) return refuseParameter('pixel_id', `must be ${idShape} for ${pixel}`);
  return { pixel, id };
}

const refuseParameter = (field: string, what: string) =>
  refuse('invalid_parameter', `The query parameter "${field}" ${what}.`, { fields: { field } });
