export { analyseCreative } from './analyse-creative.job.ts';
export { createCreativeAnalysis } from './create-creative-analysis.ts';
export { readCreativeAnalysis } from './read-creative-analysis.ts';
export { readCreativePicture } from './read-creative-picture.ts';
export type { CreativeServices } from './services.ts';
