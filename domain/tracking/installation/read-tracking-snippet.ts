import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { adPlatforms, type PixelPlatform } from '@tributary/vocabulary';
import type { TrackingServices } from '../services.ts';
import { readInstallation } from './installation.ts';
import { pixelCode } from './pixel-code.ts';
import { snippetOf } from './snippet.ts';

export const readTrackingSnippet: Handles<
  Routes['readTrackingSnippet'],
  Pick<TrackingServices, 'collectorUrl'>
> = async ({ query }, context) => {
  const bundled = readPixel(query.pixel, query.pixel_id);
  if (bundled && context.caller.isHealthcare) {
    refuse('forbidden', 'This profile counts as healthcare: no ad platform’s pixel goes into its pages.', {
      fields: { reason: 'healthcare' },
    });
  }
  const installation = await readInstallation(context, context.collectorUrl);
  // The text is to be copied: opened in a browser at this address, it must do nothing.
  context.setHeader('content-security-policy', "default-src 'none'; sandbox");
  const pixel = bundled ? pixelCode(bundled.pixel, bundled.id, installation.isConsentRequired) : '';
  return answer(200, `${snippetOf(installation)}${pixel}`);
};

function readPixel(
  pixel: PixelPlatform | undefined,
  id: string | undefined,
): { pixel: PixelPlatform; id: string } | undefined {
  if (pixel === undefined && id === undefined) return undefined;
  if (pixel === undefined) return wrong('pixel', 'is required with "pixel_id"');
  const { idPattern, idShape } = adPlatforms[pixel].pixel;
  if (id === undefined || !idPattern.test(id)) return wrong('pixel_id', `must be ${idShape} for ${pixel}`);
  return { pixel, id };
}

const wrong = (field: string, what: string) =>
  refuse('invalid_parameter', `The query parameter "${field}" ${what}.`, { fields: { field } });
