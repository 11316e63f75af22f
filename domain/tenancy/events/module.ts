export { countEvents, sequenceBatch, startSequencer } from './sequencer.ts';
