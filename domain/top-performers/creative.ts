/** What is known of an ad's creative and audience, as a sync keeps it beside the ad. */
export interface Creative {
  readonly thumbnailUrl: string | null;
  readonly videoId: string | null;
  /** What looking at it found, finer than the platform's word: ugc_video, talking_head. */
  readonly format: string | null;
  readonly hookType: string | null;
  readonly ctaType: string | null;
  readonly primaryAngle: string | null;
  readonly offers: readonly string[];
  readonly audienceWarmth: string | null;
  readonly geo: string | null;
  readonly placement: string | null;
}

/** Platforms say what they like, and more of it with each version: what is no text is as good as unsaid. */
export function readCreative(stored: unknown): Creative {
  const said = (stored !== null && typeof stored === 'object' ? stored : {}) as Record<string, unknown>;
  const text = (name: string): string | null => {
    const value = said[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const offers = Array.isArray(said.offers) ? said.offers : [];
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
