import type { Routes } from '@tributary/contract';
import { explainReport, type ReportServices } from '@tributary/domain/measurement/reports';
import type { Handles } from '@tributary/operations';
import { explainScored } from './explain-scored.ts';

/** Explains a figure. Figures of top performers use the days and the moment of scoring; all others are explained by domain/measurement/reports. */
export const explain: Handles<Routes['explain'], ReportServices> = ({ query }, context) =>
  query.report === 'top_performers' ? explainScored(query, context) : explainReport(query, context);
