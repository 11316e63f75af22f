import { only, type Weigh } from './weigh.ts';

/** If every touch is direct, the last one. */
export const lastNonDirect: Weigh = (path) => {
  const found = path.findLastIndex(({ channel }) => channel !== 'direct');
  return only(path, found === -1 ? path.length - 1 : found);
};
