import { only, type Weigh } from './weigh.ts';

/** Where all came directly, the last of them. */
export const lastNonDirect: Weigh = (path) => {
  const found = path.findLastIndex(({ channel }) => channel !== 'direct');
  return only(path, found === -1 ? path.length - 1 : found);
};
