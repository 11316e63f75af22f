import type { Routes } from '@tributary/contract';
import { explainReport, type ReportServices } from '@tributary/domain/reports';
import type { Handles } from '@tributary/operations';
import { explainScored } from './explain-scored.ts';

/** What a figure is made of. Those of top ads are of the days and the moment at which the ads were scored; all others are explained by the reports. */
export const explain: Handles<Routes['explain'], ReportServices> = ({ query }, context) =>
  query.report === 'top_performers' ? explainScored(query, context) : explainReport(query, context);
