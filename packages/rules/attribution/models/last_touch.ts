import { only, type Weigh } from './weigh.ts';

export const lastTouch: Weigh = (path) => only(path, path.length - 1);
