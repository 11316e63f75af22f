import { only, type Weigh } from './weigh.ts';

export const firstTouch: Weigh = (path) => only(path, 0);
