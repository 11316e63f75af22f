export { countEvents, startSequencer } from './sequencer.ts';
