export { startSequencer } from './sequencer.ts';
