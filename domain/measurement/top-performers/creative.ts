/** Creative and audience facts of an ad, as a sync stores them with the ad. */
export interface Creative {
  readonly thumbnailUrl: string | null;
  readonly videoId: string | null;
  /** The format found by the creative analysis, finer than the platform's: ugc_video, talking_head. */
  readonly format: string | null;
  readonly hookType: string | null;
  readonly ctaType: string | null;
  readonly primaryAngle: string | null;
  readonly offers: readonly string[];
  readonly audienceWarmth: string | null;
  readonly geo: string | null;
  readonly placement: string | null;
}

/** Platforms add fields and types with every API version; values that are no text are ignored. */
export function readCreative(stored: unknown): Creative {
  const fields = (stored !== null && typeof stored === 'object' ? stored : {}) as Record<string, unknown>;
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const offers = Array.isArray(fields.offers) ? fields.offers : [];
  return {
    thumbnailUrl: text('thumbnail_url'),
    videoId: text('video_id'),
    format: text('format'),
    hookType: text('hook_type'),
    ctaType: text('cta_type'),
    primaryAngle: text('primary_angle'),
    offers: offers.filter((offer): offer is string => typeof offer === 'string'),
    audienceWarmth: text('audience_warmth'),
    geo: text('geo'),
    placement: text('placement'),
  };
}
