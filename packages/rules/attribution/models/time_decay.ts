import { decayWeight } from '../decay.ts';
import type { Weigh } from './weigh.ts';

/** By age relative to the path's last touch. */
export const timeDecay: Weigh = (path) => path.map(({ at }) => decayWeight((path.at(-1)?.at ?? at) - at));
