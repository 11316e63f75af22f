import type { Words } from '../en/index.ts';
import { ads } from './ads.ts';
import { causes } from './causes.ts';
import { common } from './common.ts';
import { data } from './data.ts';
import { errors } from './errors.ts';
import { logNames } from './log-names.ts';
import { metrics } from './metrics.ts';
import { names } from './names.ts';
import { people } from './people.ts';
import { profiles } from './profiles.ts';
import { reports } from './reports.ts';
import { sales } from './sales.ts';
import { signIn } from './sign-in.ts';
import { workspace } from './workspace.ts';

export const words: Words = {
  ...common,
  ...causes,
  ...reports,
  ...metrics,
  ...people,
  ...ads,
  ...data,
  ...workspace,
  ...profiles,
  ...sales,
  ...signIn,
  names: { ...names, ...logNames },
  errors,
};
